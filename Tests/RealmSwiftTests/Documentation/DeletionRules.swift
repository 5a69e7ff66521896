import Foundation
import RealmSwift
import Testing

// "Deleting objects" of the guide, and `delete` and `cancelWrite` of the reference of `Realm`.

private enum Deletion {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    class Person: Object {
        @Persisted var best: Dog?
        @Persisted var dogs: List<Dog>
        @Persisted var walked: MutableSet<Dog>
        @Persisted var byName: Map<String, Dog?>
    }

    static let types: [ObjectBase.Type] = [Dog.self, Person.self]
}

@Suite struct DeletionRules {
    private typealias Dog = Deletion.Dog
    private typealias Person = Deletion.Person

    let realm: Realm
    private let rex = Dog(value: ["name": "Rex"])
    private let max = Dog(value: ["name": "Max"])
    private let ann = Person()

    init() throws {
        realm = try temporaryRealm(Deletion.types)
        try realm.write {
            realm.add([rex, max])
            realm.add(ann)
            ann.best = rex
            ann.dogs.append(objectsIn: [rex, max, rex])
            ann.walked.insert(objectsIn: [rex, max])
            ann.byName["r"] = rex
            ann.byName["m"] = max
        }
    }

    private var names: [String] { realm.objects(Dog.self).map(\.name) }

    @Test func deletedObjectsAreInvalidated() throws {
        let other = try #require(realm.objects(Dog.self).first { $0.name == "Rex" })
        try realm.write { realm.delete(rex) }
        #expect(rex.isInvalidated && other.isInvalidated && !max.isInvalidated)
        #expect(names == ["Max"])
    }

    @Test func linksToDeletedObjectsBecomeNil() throws {
        try realm.write { realm.delete(rex) }
        #expect(ann.best == nil)
    }

    @Test func listsAndSetsLoseDeletedObjects() throws {
        try realm.write { realm.delete(rex) }
        #expect(ann.dogs.map(\.name) == ["Max"] && ann.walked.map(\.name) == ["Max"])
    }

    @Test func mapsKeepTheKeysOfDeletedObjectsWithNil() throws {
        try realm.write { realm.delete(rex) }
        #expect(ann.byName.count == 2 && ann.byName.keys == ["m", "r"])
        let value = ann.byName["r"]
        #expect(value != nil && value! == nil)
        #expect(ann.byName["m"]??.name == "Max")
    }

    @Test func backlinksLoseDeletedObjects() throws {
        #expect(rex.owners.count == 2)
        try realm.write { realm.delete(ann) }
        #expect(rex.owners.isEmpty && !rex.isInvalidated)
    }

    @Test func deletingSequences() throws {
        try realm.write { realm.delete([rex, max]) }
        #expect(names.isEmpty && ann.dogs.isEmpty && ann.walked.isEmpty)
    }

    @Test func deletingAListDeletesItsObjectsAndEmptiesIt() throws {
        try realm.write { realm.delete(ann.dogs) }
        #expect(ann.dogs.isEmpty && names.isEmpty && ann.best == nil)
    }

    @Test func deletingASetDeletesItsObjectsAndEmptiesIt() throws {
        try realm.write { realm.delete(ann.walked) }
        #expect(ann.walked.isEmpty && names.isEmpty)
    }

    @Test func deletingAMapDeletesItsObjectsAndEmptiesIt() throws {
        try realm.write { realm.delete(ann.byName) }
        #expect(names.isEmpty && ann.byName.count == 0)
    }

    @Test func deletingResultsDeletesTheirObjects() throws {
        let dogs = realm.objects(Dog.self)
        try realm.write { realm.delete(dogs) }
        #expect(dogs.isEmpty && names.isEmpty && realm.objects(Person.self).count == 1)
    }

    @Test func deletingBacklinksDeletesTheOrigins() throws {
        try realm.write { realm.delete(max.owners) }
        #expect(ann.isInvalidated && names == ["Rex", "Max"])
    }

    @Test func collectionsOfADeletedObjectAreInvalidated() throws {
        let (dogs, walked, byName) = (ann.dogs, ann.walked, ann.byName)
        try realm.write { realm.delete(ann) }
        #expect(dogs.isInvalidated && walked.isInvalidated && byName.isInvalidated)
    }

    @Test func deleteAllEmptiesEveryClass() throws {
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && names.isEmpty && rex.isInvalidated && ann.isInvalidated)
    }

    @Test func aCancelledDeletionRestoresTheDataButRevivesNoInstance() throws {
        let oldObject = realm.objects(Dog.self).first!
        let newObject = Dog()
        realm.beginWrite()
        realm.add(newObject)
        realm.delete(oldObject)
        realm.cancelWrite()
        #expect(oldObject.isInvalidated && newObject.isInvalidated && rex.isInvalidated)
        #expect(realm.objects(Dog.self).first?.name == "Rex" && names == ["Rex", "Max"])
        #expect(ann.best?.name == "Rex" && ann.dogs.count == 3)
    }

    @Test func invalidatingTheRealmInvalidatesObjectsAndCollectionsForGood() throws {
        let dogs = ann.dogs
        realm.invalidate()
        #expect(rex.isInvalidated && ann.isInvalidated && dogs.isInvalidated)
        #expect(names == ["Rex", "Max"])
        #expect(rex.isInvalidated)
    }

    @Test func unmanagedObjectsAreNotInvalidated() {
        #expect(!Dog().isInvalidated && Dog().realm == nil)
    }
}

private let misuses: [String: Misuse] = [
    "deleting an object of another Realm": Misuse(
        "Can only delete an object from the Realm it belongs to."
    ) {
        let (realm, other) = (
            try temporaryRealm(Deletion.types), try temporaryRealm(Deletion.types)
        )
        let dog = try other.write { other.create(Deletion.Dog.self) }
        try realm.write { realm.delete(dog) }
    },
    "deleting an object twice": Misuse(
        "Object has been deleted or invalidated."
    ) {
        let realm = try temporaryRealm(Deletion.types)
        try realm.write {
            let dog = realm.create(Deletion.Dog.self)
            realm.delete(dog)
            realm.delete(dog)
        }
    },
    "deleting outside of a transaction": Misuse(
        "Can only add, remove, or create objects in a Realm in a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) {
        let realm = try temporaryRealm(Deletion.types)
        let dog = try realm.write { realm.create(Deletion.Dog.self) }
        realm.delete(dog)
    },
    "deleting everything outside of a transaction": Misuse(
        "Can only add, remove, or create objects in a Realm in a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) { try temporaryRealm(Deletion.types).deleteAll() },
    "reading a property after the Realm was invalidated": Misuse(
        "Object has been deleted or invalidated."
    ) {
        let realm = try temporaryRealm(Deletion.types)
        let dog = try realm.write { realm.create(Deletion.Dog.self) }
        realm.invalidate()
        _ = dog.name
    },
    "linking to a deleted object": Misuse(
        "Adding a deleted or invalidated object to a Realm is not permitted"
    ) {
        let realm = try temporaryRealm(Deletion.types)
        try realm.write {
            let person = realm.create(Deletion.Person.self)
            let dog = realm.create(Deletion.Dog.self)
            realm.delete(dog)
            person.best = dog
        }
    },
]

@Suite struct DeletionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
