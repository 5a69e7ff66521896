import Foundation
import RealmSwift
import Testing

@Suite struct ObjectIdTests {
    private let text = "507f1f77bcf86cd799439011"

    @Test func readsAndWrites24HexadecimalDigits() throws {
        let id = try ObjectId(string: text)
        #expect(id.stringValue == text && id.description == text && "\(id)" == text)
        #expect(try ObjectId(string: text.uppercased()) == id)
        #expect(ObjectId("507f1f77bcf86cd799439011") == id)
        #expect(id.hashValue == ObjectId("507f1f77bcf86cd799439011").hashValue)
    }

    @Test(arguments: [
        "", "507f", "507f1f77bcf86cd79943901g", "507f1f77bcf86cd7994390112",
        "+07f1f77bcf86cd799439011",
    ])
    func otherTextThrows(_ text: String) {
        let error = #expect(throws: Realm.Error(.invalidInput)) { try ObjectId(string: text) }
        #expect(
            error?.localizedDescription
                == "Invalid Object ID string '\(text)': must be 24 hex digits")
    }

    /// Documented: "`@Persisted var _id = ObjectId()` … make zero-initialized ObjectIds".
    @Test func withoutArgumentsItIsZero() {
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
    }

    @Test func timestampHasSeconds() {
        let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let id = ObjectId.generate()
        #expect(id.timestamp >= before && id.timestamp <= Date(timeIntervalSinceNow: 1))
        let made = ObjectId(
            timestamp: Date(timeIntervalSince1970: 0x507f_1f77), machineId: 0xbcf86c,
            processId: 0xd799)
        #expect(made.stringValue.hasPrefix("507f1f77bcf86cd799"))
        #expect(made.timestamp == Date(timeIntervalSince1970: 0x507f_1f77))
    }

    @Test func timesThatDoNotFitAreTheNearestThatDoes() {
        func seconds(_ date: Date) -> TimeInterval {
            ObjectId(timestamp: date, machineId: 0, processId: 0).timestamp.timeIntervalSince1970
        }
        #expect(seconds(.distantPast) == 0 && seconds(Date(timeIntervalSince1970: -1)) == 0)
        #expect(seconds(.distantFuture) == 4_294_967_295)
        #expect(seconds(Date(timeIntervalSince1970: .infinity)) == 4_294_967_295)
        #expect(seconds(Date(timeIntervalSince1970: .nan)) == 0)
    }

    @Test func generatedIdsAscend() {
        let ids = (0..<100_000).map { _ in ObjectId.generate() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func generatedIdsOfManyThreadsDiffer() async {
        let ids = await withTaskGroup(of: [ObjectId].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1000).map { _ in .generate() } } }
            return await group.reduce(into: Set<ObjectId>()) { $0.formUnion($1) }
        }
        #expect(ids.count == 8000)
    }

    @Test func comparesByBytes() {
        let ids = [
            ObjectId(), ObjectId("000000000000000000000001"), ObjectId("0000000000000000ff000000"),
            ObjectId("000000000000000100000000"), ObjectId("ff0000000000000000000000"),
        ]
        #expect(ids.shuffled().sorted() == ids)
        #expect(ids[0] <= ids[0] && ids[1] > ids[0] && ids[1] >= ids[0])
    }

    @Test func encodesAsString() throws {
        let id = ObjectId("507f1f77bcf86cd799439011")
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == #"["507f1f77bcf86cd799439011"]"#)
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([ObjectId].self, from: Data(#"["5"]"#.utf8))
        }
    }

    @Test func literalsThatAreNoIdStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ObjectId("xyz") }
        expectStop("Invalid Object ID string 'xyz': must be 24 hex digits", result)
    }
}

/// Tests of object ids and UUIDs as keys.
@Suite struct IdentifierKeyTests {
    private class Project: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted(indexed: true) var previous: ObjectId?
        @Persisted(indexed: true) var token: UUID?
        @Persisted var name: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private class OptionalKey: Object {
        @Persisted(primaryKey: true) var id: UUID?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Documented: "`@Persisted var id: ObjectId` … make random ObjectIds".
    @Test func propertiesWithoutInitialValueGenerateTheirs() {
        let (a, b) = (Project(), Project())
        #expect(a._id != b._id && a._id == a._id && a._id != ObjectId() && a.previous == nil)
    }

    @Test func findsByKey() throws {
        let directory = TestDirectory()
        let realm = try directory.realm([Project.self, OptionalKey.self])
        let project = Project(value: ["name": "a"])
        let key = UUID()
        try realm.write {
            realm.add(project)
            realm.create(OptionalKey.self, value: ["id": key])
            realm.create(OptionalKey.self, value: ["id": NSNull()])
        }
        let id = project._id
        #expect(realm.object(ofType: Project.self, forPrimaryKey: id)?.name == "a")
        #expect(realm.object(ofType: Project.self, forPrimaryKey: ObjectId()) == nil)
        #expect(realm.object(ofType: Project.self, forPrimaryKey: id.stringValue)?.name == "a")
        #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: key)?.id == key)
        #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: nil as UUID?)?.id == nil)
        #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: NSNull()) != nil)
        #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: UUID()) == nil)
        try realm.write {
            realm.create(
                Project.self, value: ["_id": id, "name": "b"] as [String: Any], update: .modified)
        }
        #expect(realm.objects(Project.self).count == 1 && project.name == "b")
    }

    @Test func existingKeyStopsWithItsText() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "keys", objectTypes: [Project.self]))
            try realm.write {
                for _ in 0..<2 {
                    realm.create(Project.self, value: ["_id": "507f1f77bcf86cd799439011"])
                }
            }
        }
        expectStop(
            "Attempting to create an object of type 'IdentifierKeyTests_Project' with an existing "
                + "primary key value '507f1f77bcf86cd799439011'.", result)
    }
}
