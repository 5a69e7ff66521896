import Foundation
import RealmSwift
import Testing

/// Tests of `create`, `add` and `init(value:)` with values of all kinds.
@Suite struct CreationRulesTests {
    let directory = TestDirectory()

    @Test func nullSetsNil() throws {
        let realm = try directory.realm()
        let values: [String: Any] = ["id": 1, "number": NSNull(), "next": NSNull()]
        #expect(Keyed(value: values).number == nil)
        try realm.write {
            let keyed = realm.create(Keyed.self, value: ["id": 1, "number": 5])
            realm.create(Keyed.self, value: [1, "text", Int?.none as Any], update: .all)
            #expect(keyed.number == nil && keyed.text == "text")
        }
    }

    @Test func detachedObjectsLinkToManagedOnesAsTheyAre() throws {
        let realm = try directory.realm()
        let rex = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(rex) }
        let owner = Owner(value: ["name": "Ann", "best": rex, "dogs": [rex]])
        #expect(owner.realm == nil && owner.best === rex && owner.dogs[0] === rex)
        try realm.write { realm.add(owner) }
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test func objectsOfOtherRealmsAreCopiedWithAllTheyLeadTo() throws {
        let first = try directory.realm()
        let second = try Realm(configuration: directory.configuration(name: "second.realm"))
        let owner = Owner(value: ["name": "Ann", "best": ["name": "Rex"], "nicknames": ["a"]])
        owner.best?.owner = owner
        owner.dogs.append(try #require(owner.best))
        try first.write { first.add(owner) }
        try second.write {
            let copy = second.create(Owner.self, value: owner)
            #expect(copy.realm == second && owner.realm == first)
            #expect(copy.best?.name == "Rex" && copy.best?.owner == copy)
            #expect(copy.dogs[0].isSameObject(as: copy.best))
            #expect(Array(copy.nicknames) == ["a"])
        }
        #expect(second.objects(Dog.self).count == 1 && first.objects(Dog.self).count == 1)
    }

    @Test func givenObjectsAreNeverAddedThemselves() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "best": ["name": "Rex"]])
        try realm.write { realm.create(Owner.self, value: owner) }
        #expect(owner.realm == nil && owner.best?.realm == nil)
        #expect(realm.objects(Owner.self).count == 1 && realm.objects(Dog.self).count == 1)
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func linkedObjectsAreUpsertedUnderAnUpdatePolicy(policy: Realm.UpdatePolicy) throws {
        let realm = try directory.realm()
        try realm.write {
            realm.create(Keyed.self, value: ["id": 2, "text": "two"])
            let keyed = realm.create(
                Keyed.self, value: ["id": 1, "next": ["id": 2, "number": 7]], update: policy)
            #expect(keyed.next?.text == "two" && keyed.next?.number == 7)
            #expect(realm.objects(Keyed.self).count == 2)
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func partialUpdatesLeaveTheRestAlone(policy: Realm.UpdatePolicy) throws {
        let realm = try directory.realm()
        try realm.write {
            let owner = realm.create(
                Owner.self,
                value: ["name": "Ann", "best": ["Rex"], "dogs": [["Bo"]], "nicknames": ["a"]])
            realm.create(Owner.self, value: ["name": "Ann"], update: policy)
            #expect(owner.best?.name == "Rex" && owner.dogs.count == 1)
            #expect(Array(owner.nicknames) == ["a"])
            realm.create(
                Owner.self, value: ["name": "Ann", "best": NSNull(), "dogs": [Dog]()],
                update: policy)
            #expect(owner.best == nil && owner.dogs.isEmpty && Array(owner.nicknames) == ["a"])
        }
    }

    @Test func addingUpdatesAllProperties() throws {
        let realm = try directory.realm()
        try realm.write {
            let first = realm.create(
                Owner.self, value: ["name": "Ann", "best": ["Rex"], "nicknames": ["a"]])
            realm.add(Owner(value: ["name": "Ann"]), update: .modified)
            #expect(first.best == nil && first.nicknames.isEmpty)
        }
    }

    @Test func copyingLongChainsNeedsNoStack() throws {
        let realm = try directory.realm()
        let first = Everything()
        var last = first
        for number in 1..<5_000 {
            let next = Everything()
            next.int = number
            last.link = next
            last = next
        }
        try realm.write {
            let copy = realm.create(Everything.self, value: first)
            #expect(copy.link?.link?.int == 2 && first.realm == nil)
        }
        #expect(realm.objects(Everything.self).count == 5_000)
        release(first)
    }

    /// Takes a chain apart from its start. Its release would recurse.
    private func release(_ first: Everything) {
        var next: Everything? = first
        while let object = next {
            next = object.link
            object.link = nil
        }
    }

    @Test func detachedCopiesShareWhatTheirSourceLinksTo() {
        let owner = Owner(value: ["name": "Ann"])
        let rex = Dog(value: ["name": "Rex", "owner": owner])
        #expect(Dog(value: rex).owner === owner)
    }

    @Test func cyclesAreCopiedOnce() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        let rex = Dog(value: ["name": "Rex", "owner": owner])
        owner.best = rex
        owner.dogs.append(objectsIn: [rex, rex])
        try realm.write {
            let copy = realm.create(Owner.self, value: owner)
            #expect(copy.best?.owner == copy && copy.dogs[1].isSameObject(as: copy.best))
        }
        #expect(realm.objects(Dog.self).count == 1)
        owner.best = nil
    }

    @Test func optionalPrimaryKeysMayBeNil() throws {
        let realm = try directory.realm([OptionallyKeyed.self])
        try realm.write {
            realm.create(OptionallyKeyed.self, value: ["text": "nil"])
            realm.create(OptionallyKeyed.self, value: ["key": 1, "text": "one"])
            realm.create(OptionallyKeyed.self, value: ["text": "new"], update: .modified)
        }
        let type = OptionallyKeyed.self
        #expect(realm.objects(type).count == 2)
        #expect(realm.object(ofType: type, forPrimaryKey: Int?.none)?.text == "new")
        #expect(realm.object(ofType: type, forPrimaryKey: NSNull())?.text == "new")
        #expect(realm.object(ofType: type, forPrimaryKey: 1)?.text == "one")
        #expect(realm.object(ofType: type, forPrimaryKey: 2) == nil)
    }

    @Test func emptyUntilSomethingIsAdded() throws {
        let realm = try directory.realm()
        #expect(realm.isEmpty)
        realm.beginWrite()
        realm.create(Person.self)
        #expect(!realm.isEmpty)
        realm.cancelWrite()
        #expect(realm.isEmpty)
    }
}

private class OptionallyKeyed: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
