import RealmSwift
import Testing

/// Tests of update policies and the properties that are not given.
@Suite struct UpsertTests {
    private final class Leaf: Object {
        @Persisted var number = 7
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private final class WithDefaults: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var count: Int
        @Persisted var link: Leaf? = Leaf()
        @Persisted var tags: List<String>
        required init() {
            super.init()
            tags.append("default")
        }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private final class Plain: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var count: Int
        @Persisted var tags: List<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private let directory = TestDirectory()

    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all])
    func newObjectsGetAllTheirDefaults(update: Realm.UpdatePolicy) throws {
        let realm = try directory.realm([WithDefaults.self, Leaf.self])
        let object = try realm.write {
            realm.create(WithDefaults.self, value: ["id": 1], update: update)
        }
        #expect(Array(object.tags) == ["default"])
        #expect(object.link?.number == 7)
    }

    @Test func updatesKeepWhatWasNotGiven() throws {
        let realm = try directory.realm([WithDefaults.self, Leaf.self])
        let object = try realm.write {
            realm.create(WithDefaults.self, value: ["id": 1, "tags": ["a", "b"]])
        }
        try realm.write {
            realm.create(WithDefaults.self, value: ["id": 1, "count": 3], update: .modified)
        }
        #expect(object.count == 3)
        #expect(Array(object.tags) == ["a", "b"])
    }

    @Test(arguments: [false, true])
    func addedObjectsReplaceStoredListsEvenIfTheirsWasNeverRead(isRead: Bool) throws {
        let realm = try directory.realm([Plain.self])
        let stored = try realm.write {
            realm.create(Plain.self, value: ["id": 1, "count": 5, "tags": ["a"]])
        }
        let fresh = Plain()
        fresh.id = 1
        if isRead { #expect(fresh.tags.isEmpty) }
        try realm.write { realm.add(fresh, update: .all) }
        #expect(stored.count == 0)
        #expect(stored.tags.isEmpty)
    }
}
