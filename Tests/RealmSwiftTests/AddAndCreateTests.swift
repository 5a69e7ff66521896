import Foundation
import RealmSwift
import Testing

@Suite struct AddTests {
    let directory = TestDirectory()

    @Test func theInstanceBecomesManaged() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "nicknames": ["a"]])
        let nicknames = owner.nicknames
        try realm.write { realm.add(owner) }
        #expect(owner.realm == realm && owner.nicknames === nicknames)
        #expect(Array(nicknames) == ["a"] && nicknames.realm == realm)
    }

    @Test func addingTwiceChangesNothing() throws {
        let realm = try directory.realm()
        let person = Person()
        try realm.write {
            realm.add(person)
            realm.add(person)
        }
        #expect(realm.objects(Person.self).count == 1)
    }

    @Test func addsWhatTheObjectLeadsTo() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "dogs": [["name": "Rex"], ["name": "Bo"]]])
        let best = Dog(value: ["name": "Fido"])
        owner.best = best
        try realm.write { realm.add(owner) }
        #expect(realm.objects(Dog.self).count == 3)
        #expect(owner.best?.isSameObject(as: best) == true && best.realm == realm)
        #expect(owner.dogs.map(\.name) == ["Rex", "Bo"])
    }

    @Test func cyclesEnd() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        let dog = Dog(value: ["name": "Rex"])
        dog.owner = owner
        owner.best = dog
        owner.dogs.append(dog)
        owner.dogs.append(dog)
        try realm.write { realm.add(owner) }
        #expect(realm.objects(Dog.self).count == 1 && realm.objects(Owner.self).count == 1)
        #expect(owner.dogs.count == 2 && owner.best?.owner == owner)
        #expect(dog.owner?.dogs.first?.isSameObject(as: dog) == true)
    }

    @Test func longChainsNeedNoStack() throws {
        let realm = try directory.realm()
        let first = Everything()
        var last = first
        for _ in 1..<2_000 {
            let next = Everything()
            last.link = next
            last = next
        }
        try realm.write { realm.add(first) }
        #expect(realm.objects(Everything.self).count == 2_000)
    }

    @Test func addsSequences() throws {
        let realm = try directory.realm()
        try realm.write { realm.add((0..<5).map { Person(value: ["age": $0]) }) }
        #expect(realm.objects(Person.self).map(\.age) == [0, 1, 2, 3, 4])
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatesByPrimaryKey(policy: Realm.UpdatePolicy) throws {
        let realm = try directory.realm()
        let first = Keyed(value: ["id": 1, "text": "first", "number": 1])
        try realm.write { realm.add(first) }
        let second = Keyed(value: ["id": 1, "text": "second"])
        try realm.write { realm.add(second, update: policy) }
        #expect(realm.objects(Keyed.self).count == 1)
        #expect(first.text == "second" && first.number == nil && second == first)
    }

    @Test func updatesLinkedObjects() throws {
        let realm = try directory.realm()
        try realm.write { realm.add(Keyed(value: ["id": 2, "text": "old"])) }
        let keyed = Keyed(value: ["id": 1, "next": ["id": 2, "text": "new"]])
        try realm.write { realm.add(keyed, update: .modified) }
        #expect(realm.objects(Keyed.self).count == 2 && keyed.next?.text == "new")
    }

    @Test func findsByPrimaryKey() throws {
        let realm = try directory.realm()
        try realm.write {
            realm.add(Keyed(value: ["id": 7, "text": "seven"]))
            realm.add(Owner(value: ["name": "Ann"]))
        }
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 7)?.text == "seven")
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 8) == nil)
        #expect(realm.object(ofType: Owner.self, forPrimaryKey: "Ann")?.name == "Ann")
        #expect(realm.object(ofType: Owner.self, forPrimaryKey: "Bob") == nil)
    }

    @Test func objectsWithPrimaryKeysAreEqualByRow() throws {
        let realm = try directory.realm()
        let keyed = Keyed(value: ["id": 7])
        try realm.write { realm.add(keyed) }
        let found = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 7))
        #expect(found == keyed && found !== keyed && Set([found, keyed]).count == 1)
    }
}

@Suite struct CreateTests {
    let directory = TestDirectory()

    @Test func takesDictionariesArraysAndObjects() throws {
        let realm = try directory.realm()
        try realm.write {
            let first = realm.create(Keyed.self, value: ["id": 1, "number": 5])
            #expect(first.text == "none" && first.number == 5 && first.realm == realm)
            let second = realm.create(Keyed.self, value: [2, "two"])
            #expect(second.id == 2 && second.text == "two" && second.number == nil)
            let person = Person(value: ["name": "Ann"])
            let copy = realm.create(Person.self, value: person)
            #expect(copy.name == "Ann" && person.realm == nil)
            #expect(realm.create(Person.self).name == "")
        }
    }

    @Test func copiesManagedObjectsGivenAsTheValue() throws {
        let realm = try directory.realm()
        try realm.write {
            let person = realm.create(Person.self, value: ["name": "Ann"])
            let copy = realm.create(Person.self, value: person)
            #expect(!copy.isSameObject(as: person) && copy.name == "Ann")
        }
        #expect(realm.objects(Person.self).count == 2)
    }

    @Test func linksToManagedObjectsGivenInside() throws {
        let realm = try directory.realm()
        try realm.write {
            let dog = realm.create(Dog.self, value: ["name": "Rex"])
            let owner = realm.create(
                Owner.self, value: ["name": "Ann", "best": dog, "dogs": [dog, dog]])
            #expect(owner.best?.isSameObject(as: dog) == true && owner.dogs.count == 2)
        }
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test func copiesUnmanagedObjectsGivenInside() throws {
        let realm = try directory.realm()
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.create(Owner.self, value: ["name": "Ann", "best": dog]) }
        #expect(dog.realm == nil && realm.objects(Dog.self).count == 1)
    }

    @Test func updatingLeavesMissingKeysAlone() throws {
        let realm = try directory.realm()
        try realm.write {
            realm.create(Keyed.self, value: ["id": 1, "text": "kept", "number": 5])
            let updated = realm.create(
                Keyed.self, value: ["id": 1, "number": 6], update: .modified)
            #expect(updated.text == "kept" && updated.number == 6)
            realm.create(Keyed.self, value: ["id": 1, "number": NSNull()], update: .all)
            #expect(updated.text == "kept" && updated.number == nil)
        }
        #expect(realm.objects(Keyed.self).count == 1)
    }

    @Test func updatingReplacesGivenLists() throws {
        let realm = try directory.realm()
        try realm.write {
            let owner = realm.create(
                Owner.self, value: ["name": "Ann", "nicknames": ["a", "b"]])
            realm.create(Owner.self, value: ["name": "Ann"], update: .modified)
            #expect(Array(owner.nicknames) == ["a", "b"])
            realm.create(Owner.self, value: ["name": "Ann", "nicknames": ["c"]], update: .modified)
            #expect(Array(owner.nicknames) == ["c"])
        }
    }
}

@Suite struct DeleteTests {
    let directory = TestDirectory()

    @Test func deletingClearsLinksAndLists() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        let dog = Dog(value: ["name": "Rex"])
        owner.best = dog
        owner.dogs.append(objectsIn: [dog, Dog(value: ["name": "Bo"]), dog])
        try realm.write { realm.add(owner) }
        try realm.write { realm.delete(dog) }
        #expect(dog.isInvalidated && owner.best == nil)
        #expect(owner.dogs.map(\.name) == ["Bo"])
    }

    @Test func deletingTheOwnerInvalidatesItsLists() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "dogs": [["name": "Rex"]]])
        try realm.write { realm.add(owner) }
        let dogs = owner.dogs
        try realm.write { realm.delete(owner) }
        #expect(dogs.isInvalidated && realm.objects(Dog.self).count == 1)
    }

    @Test func deletesListsResultsAndSequences() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "dogs": [["name": "Rex"], ["name": "Bo"]]])
        try realm.write {
            realm.add(owner)
            realm.add((0..<10).map { Person(value: ["age": $0]) })
        }
        try realm.write { realm.delete(owner.dogs) }
        #expect(owner.dogs.isEmpty && realm.objects(Dog.self).isEmpty)
        try realm.write { realm.delete(realm.objects(Person.self).filter { $0.age < 5 }) }
        #expect(realm.objects(Person.self).count == 5)
        try realm.write { realm.delete(realm.objects(Person.self)) }
        #expect(realm.objects(Person.self).isEmpty)
    }

    @Test func deletesEverything() throws {
        let realm = try directory.realm()
        let person = Person()
        try realm.write {
            realm.add(person)
            realm.add(Keyed())
        }
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && person.isInvalidated)
    }
}
