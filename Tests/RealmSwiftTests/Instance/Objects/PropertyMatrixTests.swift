import Foundation
import RealmSwift
import Testing

private enum Color: String, PersistableEnum { case red, green = "grün", blue = "" }
private enum Grade: Int16, PersistableEnum { case worst = -32768, zero = 0, best = 32767 }

private struct Tag: CustomPersistable, Equatable {
    typealias PersistedType = String
    let text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private struct Percent: FailableCustomPersistable, Equatable {
    typealias PersistedType = Double
    let share: Double
    init?(persistedValue: Double) {
        if persistedValue < 0 { return nil }
        share = persistedValue
    }
    var persistableValue: Double { share }
}

/// Properties and collections of one type of values.
private class Cell<Value: _PersistableInsideOptional & _RealmCollectionValueInsideOptional>:
    Object
{
    @Persisted var plain: Value
    @Persisted var optional: Value?
    @Persisted var list: List<Value>
    @Persisted var optionals: List<Value?>
    @Persisted var set: MutableSet<Value>
    @Persisted var optionalSet: MutableSet<Value?>
    @Persisted var map: Map<String, Value>
    @Persisted var optionalMap: Map<String, Value?>

    override class func className() -> String { "Cell" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// Sets the value number `position`, and adds all values to the collections.
    func fill(_ values: [Value], _ position: Int) {
        plain = values[position]
        optional = position == 0 ? nil : values[position]
        list.removeAll()
        list.append(objectsIn: values)
        optionals.removeAll()
        optionals.append(objectsIn: values.map { $0 } + [nil])
        set.insert(objectsIn: values)
        optionalSet.insert(objectsIn: values.map { $0 } + [nil])
        for (number, value) in values.enumerated() {
            map["key \(number)"] = value
            optionalMap["key \(number)"] = .some(value)
        }
        optionalMap["nil"] = .some(nil)
    }

    func expectFilled(_ values: [Value], _ position: Int, _ state: String) {
        let comment = Comment(rawValue: "\(state) \(Value.self), value \(position)")
        #expect(plain == values[position], comment)
        #expect(optional == (position == 0 ? nil : values[position]), comment)
        #expect(Array(list) == values, comment)
        #expect(Array(optionals) == values.map { $0 } + [nil], comment)
        #expect(Set(set) == Set(values) && set.count == values.count, comment)
        #expect(Set(optionalSet) == Set(values.map { $0 } + [nil]), comment)
        #expect(map.count == values.count && optionalMap.count == values.count + 1, comment)
        for (number, value) in values.enumerated() {
            #expect(map["key \(number)"] == value, comment)
            #expect(optionalMap["key \(number)"] == .some(.some(value)), comment)
            #expect(list.index(of: value) == number, comment)
            #expect(set.contains(value), comment)
        }
        #expect(optionalMap["nil"] == .some(nil) && optionalSet.contains(nil), comment)
        #expect(optionals.index(of: nil) == values.count, comment)
    }
}

/// Tests of every type of the documentation's table of property types, in every kind of property,
/// unmanaged, managed, and after reopening the file. The values of a type are distinct and include
/// its extremes.
@Suite struct PropertyMatrixTests {
    private func expectRoundTrips<Value>(_ values: [Value]) throws
    where Value: _PersistableInsideOptional & _RealmCollectionValueInsideOptional {
        let directory = TestDirectory()
        let types: [ObjectBase.Type] = [Cell<Value>.self]
        do {
            let realm = try directory.realm(types)
            for position in values.indices {
                let cell = Cell<Value>()
                cell.fill(values, position)
                cell.expectFilled(values, position, "unmanaged")
                try realm.write { realm.add(cell) }
                cell.expectFilled(values, position, "added")
            }
        }
        let realm = try directory.realm(types)
        let cells = realm.objects(Cell<Value>.self)
        for (position, cell) in cells.enumerated() {
            cell.expectFilled(values, position, "reopened")
        }
        let last = values.count - 1
        try realm.write {
            for (position, cell) in cells.enumerated() { cell.fill(values, last - position) }
        }
        for (position, cell) in cells.enumerated() {
            cell.expectFilled(values, last - position, "written")
        }
        try expectDynamicAccess(realm, values)
    }

    /// Checks that access by name returns and accepts what is stored.
    private func expectDynamicAccess<Value>(_ realm: Realm, _ values: [Value]) throws
    where Value: _PersistableInsideOptional & _RealmCollectionValueInsideOptional {
        let source = try #require(realm.objects(Cell<Value>.self).first)
        let copy = Cell<Value>(value: source)
        copy.expectFilled(values, values.count - 1, "copied")
        let dynamic = try #require(realm.dynamicObjects("Cell").first)
        for name in ["plain", "optional"] {
            let (byClass, byName) = (source[name], dynamic[name])
            #expect(byClass.map { "\($0)" } == byName.map { "\($0)" })
        }
        try realm.write {
            for value in values {
                let cell = realm.create(Cell<Value>.self, value: ["plain": value])
                #expect(cell.plain == value && cell.optional == nil && cell.list.isEmpty)
                cell["optional"] = cell["plain"]
                #expect(cell.optional == value)
                cell["optional"] = nil
                #expect(cell.optional == nil && cell["optional"] == nil)
            }
        }
    }

    @Test func booleans() throws { try expectRoundTrips([true, false]) }

    @Test func integers() throws {
        try expectRoundTrips([0, -1, 1, Int.min, Int.max])
        try expectRoundTrips([0, Int8.min, Int8.max])
        try expectRoundTrips([0, Int16.min, Int16.max])
        try expectRoundTrips([0, Int32.min, Int32.max])
        try expectRoundTrips([0, Int64.min, Int64.max])
    }

    @Test func floatingPoint() throws {
        try expectRoundTrips([
            0, -1.5, Float.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
        ])
        try expectRoundTrips([
            0, .pi, Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
        ])
    }

    @Test func strings() throws {
        try expectRoundTrips([
            "", "a", "exactly 15 bytes", "naïve 🌲\u{0}end", String(repeating: "long ", count: 2000),
        ])
    }

    @Test func data() throws {
        try expectRoundTrips([Data(), Data([0]), Data(0...255), Data(count: 10_000)])
    }

    @Test func dates() throws {
        try expectRoundTrips([
            Date(timeIntervalSinceReferenceDate: 0), .distantPast, .distantFuture,
            Date(timeIntervalSince1970: -0.000_000_1), Date(timeIntervalSince1970: 1.123_456_789),
        ])
    }

    @Test func decimals() throws {
        try expectRoundTrips([
            "0", "-12.50", "1E-6176", Decimal128.min, .max, "inf", "-inf", "NaN",
        ])
    }

    @Test func objectIds() throws {
        try expectRoundTrips([
            ObjectId(), ObjectId("ffffffffffffffffffffffff"), ObjectId("0102030405060708090a0b0c"),
            .generate(),
        ])
    }

    @Test func uuids() throws {
        try expectRoundTrips([
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), UUID(),
            UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 254)),
        ])
    }

    @Test func enums() throws {
        try expectRoundTrips(Color.allCases)
        try expectRoundTrips(Grade.allCases)
    }

    @Test func customTypes() throws {
        try expectRoundTrips([Tag(""), Tag("a"), Tag(String(repeating: "x", count: 5000))])
        try expectRoundTrips([0, 0.5, .infinity].compactMap(Percent.init(persistedValue:)))
    }
}
