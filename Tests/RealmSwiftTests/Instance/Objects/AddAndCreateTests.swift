import Foundation
import RealmSwift
import Testing

@Suite struct AddTests {
    let directory = TestDirectory()

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
}

@Suite struct CreateTests {
    let directory = TestDirectory()

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
}

@Suite struct DeleteTests {
    let directory = TestDirectory()

    @Test func deletesWhatAFilterLeavesOfResults() throws {
        let realm = try directory.realm()
        try realm.write { realm.add((0..<10).map { Person(value: ["age": $0]) }) }
        try realm.write { realm.delete(realm.objects(Person.self).filter { $0.age < 5 }) }
        #expect(realm.objects(Person.self).map(\.age) == [5, 6, 7, 8, 9])
    }
}
