import Foundation
import RealmSwift
import Testing

private enum Kind: String, PersistableEnum, Codable { case plain, special }

private class Fitting: Object, Codable {
    @Persisted var name: String
    @Persisted var size: Int?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Machine: Object, Codable {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var title = "untitled"
    @Persisted(indexed: true) var count: Int
    @Persisted var price: Decimal128?
    @Persisted var token: UUID?
    @Persisted var made: Date?
    @Persisted var kind: Kind
    @Persisted var main: Fitting?
    @Persisted var parts: List<Fitting>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let text = """
    {"id": "507f1f77bcf86cd799439011", "title": "lathe", "count": 3, "price": "19.90",
     "kind": "special", "main": {"name": "bed"},
     "parts": [{"name": "screw", "size": 4}, {"name": "nut", "size": null}]}
    """

/// Tests of the conformance that the compiler synthesizes for a `Codable` model class.
@Suite struct PersistedCodableTests {
    private func decoded() throws -> Machine {
        try JSONDecoder().decode(Machine.self, from: Data(text.utf8))
    }

    /// Documented: "optional keys may be absent when decoding".
    @Test func decodesUnmanagedObjects() throws {
        let machine = try decoded()
        #expect(machine.id == ObjectId("507f1f77bcf86cd799439011") && machine.title == "lathe")
        #expect(machine.count == 3 && machine.price == 19.9 && machine.kind == .special)
        #expect(machine.token == nil && machine.made == nil && machine.main?.name == "bed")
        #expect(machine.parts.map(\.name) == ["screw", "nut"])
        #expect(machine.parts.map(\.size) == [4, nil] && machine.realm == nil)
    }

    @Test func requiredKeysThatAreAbsentThrow() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Fitting.self, from: Data("{}".utf8))
        }
    }

    @Test func encodesUnmanagedObjects() throws {
        let data = try JSONEncoder().encode(try decoded())
        let again = try JSONDecoder().decode(Machine.self, from: data)
        #expect(again.title == "lathe" && again.price == 19.9 && again.parts.count == 2)
        #expect(again.id == ObjectId("507f1f77bcf86cd799439011"))
        // A property without an initial value that was never read.
        let part = try JSONEncoder().encode(Fitting())
        let json = try JSONSerialization.jsonObject(with: part) as? [String: Any]
        #expect(json?["name"] as? String == "")
    }

    @Test func decodedObjectsCanBeAdded() throws {
        let realm = try TestDirectory.untilExit().realm([Machine.self, Fitting.self])
        let machine = try decoded()
        try realm.write { realm.add(machine) }
        #expect(realm.objects(Fitting.self).count == 3 && machine.parts[0].size == 4)
        #expect(realm.object(ofType: Machine.self, forPrimaryKey: machine.id) == machine)
    }

    /// Documented: "encoding a managed object throws `EncodingError.invalidValue`".
    @Test func encodingAManagedObjectThrows() throws {
        let realm = try TestDirectory.untilExit().realm([Machine.self, Fitting.self])
        let machine = try decoded()
        try realm.write { realm.add(machine) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(machine) }
        let read = try #require(realm.objects(Machine.self).first)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(read) }
        for part in realm.objects(Fitting.self) {
            do {
                _ = try JSONEncoder().encode(part)
                Issue.record("a managed object was encoded")
            } catch EncodingError.invalidValue(_, let context) {
                #expect(
                    context.debugDescription.hasPrefix("Only unmanaged Realm objects can be"))
                #expect(context.codingPath.map(\.stringValue) == ["name"])
            }
        }
    }

    @Test func legacyWrappersKeepTheirValues() throws {
        let optional = RealmOptional<Int>()
        #expect(optional.value == nil && optional == RealmOptional())
        optional.value = 3
        #expect(optional == RealmOptional(3) && optional.description == "3")
        let coded = try JSONDecoder().decode(
            [RealmOptional<Int>].self, from: JSONEncoder().encode([optional, RealmOptional()]))
        #expect(coded == [optional, RealmOptional()])
    }
}
