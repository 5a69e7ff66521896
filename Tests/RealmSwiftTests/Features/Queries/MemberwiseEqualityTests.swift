import Foundation
import Testing

@testable import RealmSwift

/// Tests that a value of a custom type, stored as an embedded object, equals one with the same
/// properties.
@Suite struct MemberwiseEqualityTests {
    private let realm: Realm

    /// The second town has no port and no sister town. The third, sister of the first, has no exact
    /// port.
    init() throws {
        realm = try temporaryRealm(
            [Town.self, Harbour.self, Mooring.self, Anchorage.self])
        try realm.write {
            let first = realm.create(Town.self, value: ["id": 1])
            first.square = Corner(1, nil)
            first.port = Corner(2, "b")
            first.gates.append(objectsIn: [Corner(1, "a"), Corner(2, nil)])
            first.named["x"] = .some(Corner(1, "a"))
            realm.create(Town.self, value: ["id": 2]).named["x"] = .some(nil)
            let third = realm.create(Town.self, value: ["id": 3, "sister": first])
            third.square = Corner(1, "a")
            third.port = Corner(2, nil)
            third.gates.append(Corner(1, "a"))
        }
    }

    private func ids(_ format: String, _ arguments: Any...) throws -> [Int] {
        let syntax = try PredicateParser.parse(format, arguments)
        return try realm.objects(Town.self)._filtered(syntax, format: format).map(\.id)
    }

    private func refusal(_ format: String, _ arguments: Any...) -> String? {
        do {
            let syntax = try PredicateParser.parse(format, arguments)
            _ = try realm.objects(Town.self)._filtered(syntax, format: format)
            return nil
        } catch { return (error as? InvalidPredicate)?.message }
    }

    @Test func properties() throws {
        #expect(try ids("square == %@", Corner(1, "a")) == [3])
        #expect(try ids("square == %@", Corner(1, nil)) == [1])
        #expect(try ids("square == %@", Corner(0, nil)) == [2])
        #expect(try ids("square != %@", Corner(1, "a")) == [1, 2])
        #expect(try ids("port != %@", Corner(2, "b")) == [2, 3])
        #expect(try ids("%@ == port", Corner(2, "b")) == [1])
        #expect(try ids("port IN %@", [Corner(2, nil), Corner(2, "b")]) == [1, 3])
        #expect(try ids("port IN %@", [Corner(2, nil), nil]) == [2, 3])
    }

    @Test func paths() throws {
        #expect(try ids("sister.port == %@", Corner(2, "b")) == [3])
        #expect(try ids("sister.port != %@", Corner(2, nil)) == [3])
        #expect(try ids("NOT sister.port == %@", Corner(2, nil)) == [1, 2, 3])
        #expect(try ids("sister.port IN %@", [Corner(9, nil), nil]) == [1, 2])
    }

    @Test func collections() throws {
        #expect(try ids("ANY gates == %@", Corner(1, "a")) == [1, 3])
        #expect(try ids("ANY gates != %@", Corner(1, "a")) == [1])
        #expect(try ids("NONE gates == %@", Corner(2, nil)) == [2, 3])
        #expect(try ids("%@ IN gates", Corner(2, nil)) == [1])
        #expect(try ids("ANY gates IN %@", [Corner(2, nil), Corner(3, nil)]) == [1])
        #expect(try ids("ANY named == %@", Corner(1, "a")) == [1])
        #expect(try ids("ANY named != %@", Corner(1, "a")) == [2])
        #expect(try ids("ANY named IN %@", [Corner(1, "a"), nil]) == [1, 2])
    }

    @Test func typedQueries() {
        let towns = realm.objects(Town.self)
        #expect(towns.where { $0.square == Corner(1, "a") }.map(\.id) == [3])
        #expect(towns.where { $0.port != Corner(2, "b") }.map(\.id) == [2, 3])
        #expect(towns.where { $0.port == nil }.map(\.id) == [2])
        #expect(towns.where { $0.gates.contains(Corner(2, nil)) }.map(\.id) == [1])
        let corners = [Corner(1, nil), Corner(0, nil)]
        #expect(towns.where { $0.square.in(corners) }.map(\.id) == [1, 2])
    }

    /// An embedded object that is not a value of a custom type is compared by identity, like other
    /// objects.
    @Test func objectsThemselvesAreEqualToNone() throws {
        #expect(try ids("port == %@", Harbour(value: [2, "b"] as [Any])) == [])
    }

    @Test func whatCannotBeComparedIsRefused() {
        #expect(
            refusal("mooring == %@", Berth())
                == "Unsupported property 'Mooring.depths' for memberwise equality query: equality "
                + "on collections is not implemented.")
        #expect(
            refusal("anchor == %@", Buoy())
                == "Unsupported property 'Anchorage.town' for memberwise equality query: object "
                + "links are not implemented.")
        #expect(
            refusal("port < %@", Corner(1, nil)) == "Operator '<' not supported for type 'object'")
        #expect(refusal("port == %@", Berth())?.hasPrefix("Cannot compare value 'Berth(") == true)
        #expect(refusal("id == %@", Corner(1, nil))?.hasPrefix("Cannot compare value") == true)
        #expect(refusal("sister == %@", Corner(1, nil))?.hasPrefix("Cannot compare value") == true)
        #expect(refusal("SELF == %@", Corner(1, nil))?.hasPrefix("Cannot compare value") == true)
        #expect(refusal("port IN %@", Corner(1, nil)) == "IN clause requires an array of items")
        #expect(
            refusal("port IN {%@, %@}", Corner(1, nil), 3)
                == "Cannot compare value '3' of type 'Int' to property 'port' of type 'Harbour'")
    }
}

private class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var square: Corner
    @Persisted var port: Corner?
    @Persisted var gates: List<Corner>
    @Persisted var named: Map<String, Corner?>
    @Persisted var mooring: Berth?
    @Persisted var anchor: Buoy?
    @Persisted var sister: Town?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Harbour: EmbeddedObject {
    @Persisted var number: Int
    @Persisted var name: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Corner: CustomPersistable, Hashable {
    typealias PersistedType = Harbour

    var number: Int
    var name: String?

    init(_ number: Int, _ name: String?) {
        self.number = number
        self.name = name
    }

    init(persistedValue: Harbour) { self.init(persistedValue.number, persistedValue.name) }

    var persistableValue: Harbour { Harbour(value: [number, name] as [Any?]) }
}

private class Mooring: EmbeddedObject {
    @Persisted var depths: List<Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Berth: CustomPersistable, Hashable {
    typealias PersistedType = Mooring

    init() {}
    init(persistedValue: Mooring) {}
    var persistableValue: Mooring { Mooring() }
}

private class Anchorage: EmbeddedObject {
    @Persisted var town: Town?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Buoy: CustomPersistable, Hashable {
    typealias PersistedType = Anchorage

    init() {}
    init(persistedValue: Anchorage) {}
    var persistableValue: Anchorage { Anchorage() }
}
