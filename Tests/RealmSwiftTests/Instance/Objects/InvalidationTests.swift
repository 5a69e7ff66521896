import Foundation
import RealmSwift
import Testing

class Puppy: Dog {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct InvalidationTests {
    let directory = TestDirectory()

    @Test func invalidatedAccessorsStayInvalid() throws {
        let realm = try directory.realm()
        try realm.write { realm.add(Keyed(value: ["id": 1])) }
        var old: [Keyed] = []
        for _ in 0..<100 {
            let object = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
            #expect(object.id == 1)
            old.append(object)
            realm.invalidate()
            #expect(old.allSatisfy { $0.isInvalidated })
        }
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 1)?.isInvalidated == false)
        #expect(old.allSatisfy { $0.isInvalidated })
    }

    @Test func writingRightAfterInvalidating() throws {
        let realm = try directory.realm()
        try realm.write { realm.add(Keyed(value: ["id": 1])) }
        realm.invalidate()
        try realm.write {
            let object = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
            object.text = "new"
            realm.create(Keyed.self, value: ["id": 2])
        }
        #expect(realm.objects(Keyed.self).map(\.text) == ["new", "none"])
        realm.invalidate()
        realm.refresh()
        #expect(realm.objects(Keyed.self).count == 2)
        realm.invalidate()
        realm.invalidate()
        let copy = directory.url.appendingPathComponent("copy.realm")
        try realm.writeCopy(toFile: copy)
        #expect(!realm.isEmpty)
    }

    @Test func cancelledObjectsStayInvalidWhenTheirKeysAreUsedAgain() throws {
        let realm = try directory.realm()
        try realm.write { realm.add(Person(value: ["name": "kept"])) }
        let kept = try #require(realm.objects(Person.self).first)
        var cancelled: [Person] = []
        for step in 0..<50 {
            realm.beginWrite()
            let created = realm.create(Person.self, value: ["age": step])
            cancelled.append(created)
            cancelled.append(try #require(realm.objects(Person.self).last))
            #expect(kept.name == "kept")
            realm.cancelWrite()
            #expect(cancelled.allSatisfy { $0.isInvalidated } && !kept.isInvalidated)
            if step % 10 == 0 { try realm.write { realm.create(Person.self) } }
        }
        #expect(cancelled.allSatisfy { $0.isInvalidated })
        #expect(realm.objects(Person.self).count == 6)
    }

    @Test func deletedObjectsAreInvalidAtOnce() throws {
        let realm = try directory.realm()
        let people = (0..<300).map { Person(value: ["age": $0]) }
        try realm.write { realm.add(people) }
        for person in people { #expect(person.age >= 0) }
        try realm.write {
            for person in people.reversed() {
                let age = person.age
                realm.delete(person)
                #expect(person.isInvalidated)
                if age > 0 { #expect(!people[age - 1].isInvalidated) }
            }
            // Objects created later get new keys.
            realm.create(Person.self)
            #expect(people.allSatisfy { $0.isInvalidated })
        }
    }

    @Test func listsOfCancelledObjects() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        realm.beginWrite()
        realm.add(owner)
        let list = owner.dogs
        list.append(Dog())
        realm.cancelWrite()
        #expect(owner.isInvalidated && list.isInvalidated)
        try realm.write { realm.add(Owner(value: ["name": "Bob"])) }
        #expect(owner.isInvalidated && list.isInvalidated)
    }

    @Test func iteratingAListBeyondACancelledTransaction() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        try realm.write { realm.add(owner) }
        realm.beginWrite()
        owner.dogs.append(Dog(value: ["name": "a"]))
        var iterator = owner.dogs.makeIterator()
        realm.cancelWrite()
        try realm.write { owner.dogs.append(Dog(value: ["name": "b"])) }
        // The object was there when the iteration began. It is not the object that has its key now.
        #expect(iterator.next()?.isInvalidated == true)
        #expect(owner.dogs.first?.name == "b")
    }

    @Test func listElementsAfterReuseOfKeys() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        try realm.write { realm.add(owner) }
        for round in 0..<3 {
            realm.beginWrite()
            owner.dogs.append(Dog(value: ["name": "\(round)"]))
            owner.best = owner.dogs.first
            #expect(owner.dogs[0].name == "\(round)" && owner.best?.name == "\(round)")
            if round < 2 { realm.cancelWrite() } else { try realm.commitWrite() }
        }
        #expect(owner.dogs[0].name == "2" && owner.best?.name == "2")
    }

    @Test func addingAGraphWithAnObjectThatIsManagedAlready() throws {
        let realm = try directory.realm()
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(dog) }
        let owner = Owner(value: ["name": "Ann"])
        owner.best = dog
        owner.dogs.append(objectsIn: [dog, dog])
        try realm.write { realm.add(owner) }
        #expect(owner.best?.isSameObject(as: dog) == true && owner.dogs.count == 2)
        #expect(realm.objects(Dog.self).count == 1)
    }
}

private func stopped(_ result: ExitTest.Result?, with text: String) -> Bool {
    guard let result else { return true }
    return String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("Fatal error: \(text)")
}

private func memoryRealm(_ types: [ObjectBase.Type] = allTypes) throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

@Suite struct LinkTrapTests {
    @Test func addingAnObjectWithALinkToADeletedOne() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try memoryRealm()
            let dog = Dog()
            try realm.write { realm.add(dog) }
            let owner = Owner(value: ["name": "Ann"])
            owner.best = dog
            try realm.write { realm.delete(dog) }
            try realm.write { realm.add(owner) }
        }
        #expect(
            stopped(
                result,
                with: "Adding a deleted or invalidated object to a Realm is not permitted"))
    }

    @Test func addingAnObjectWithALinkToASubclass() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try memoryRealm(allTypes + [Puppy.self])
            let puppy = Puppy()
            try realm.write { realm.add(puppy) }
            let owner = Owner(value: ["name": "Ann"])
            owner.best = puppy
            try realm.write { realm.add(owner) }
        }
        #expect(stopped(result, with: "Can't set object of type 'Puppy' to property of type 'Dog'"))
    }

    @Test func iteratorsEndWithTheirRealm() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try memoryRealm()
            try realm.write { realm.add([Person(), Person()]) }
            var iterator = realm.objects(Person.self).makeIterator()
            _ = iterator.next()
            realm.invalidate()
            _ = iterator.next()
        }
        #expect(stopped(result, with: "Collection is no longer valid"))
    }

    @Test func writingThroughASecondRealmOfTheThread() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let identifier = UUID().uuidString
            let people = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: identifier, objectTypes: [Person.self]))
            let all = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: identifier, objectTypes: allTypes))
            people.beginWrite()
            all.beginWrite()
        }
        #expect(stopped(result, with: "The Realm is already in a write transaction"))
    }
}
