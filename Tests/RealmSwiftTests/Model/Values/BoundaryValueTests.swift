import Foundation
import RealmSwift
import Testing

/// Tests that values at the edges of their types, and unusual ones, are read back unchanged.
@Suite struct BoundaryValueTests {
    class Extreme: Object {
        @Persisted(primaryKey: true) var key: String
        @Persisted(indexed: true) var date: Date
        @Persisted(indexed: true) var moment: Date?
        @Persisted(indexed: true) var number: Int
        @Persisted(indexed: true) var text: String
        @Persisted var double: Double
        @Persisted var float: Float?
        @Persisted var data: Data?
        @Persisted var doubles: MutableSet<Double>
        @Persisted var byText: Map<String, Data?>
        @Persisted var any: AnyRealmValue
    }

    let realm: Realm

    init() throws { realm = try temporaryRealm([Extreme.self]) }

    private static let seconds: [Double] = [
        .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, -0.0, 0,
        .leastNonzeroMagnitude, -1e-9, Date.distantPast.timeIntervalSinceReferenceDate,
    ]

    @Test(arguments: seconds) func datesAndNumbersKeepTheirBits(_ value: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: value)
        let object = Extreme(value: ["key": "k"])
        try realm.write {
            realm.add(object)
            object.date = date
            object.moment = date
            object.double = value
            object.float = Float(value)
            object.any = .double(value)
        }
        #expect(object.date.timeIntervalSinceReferenceDate.bitPattern == value.bitPattern)
        #expect(object.moment?.timeIntervalSinceReferenceDate.bitPattern == value.bitPattern)
        #expect(object.double.bitPattern == value.bitPattern)
        #expect(object.float?.bitPattern == Float(value).bitPattern)
        #expect(object.any.doubleValue?.bitPattern == value.bitPattern)
        // Changing and deleting the object needs its index entries, so this shows that they are
        // found.
        try realm.write {
            object.date = Date(timeIntervalSinceReferenceDate: 1)
            object.moment = nil
        }
        try realm.write {
            object.date = date
            object.moment = date
            realm.delete(object)
        }
        #expect(realm.isEmpty)
    }

    @Test func notANumberIsOneElementOfAManagedSet() throws {
        let object = Extreme(value: ["key": "k"])
        object.doubles.insert(objectsIn: [.nan, .infinity, .nan, -0.0, 0])
        try realm.write {
            realm.add(object)
            object.doubles.insert(.nan)
        }
        #expect(object.doubles.contains(.nan) && object.doubles.filter(\.isNaN).count == 1)
        #expect(object.doubles.contains(0) && object.doubles.contains(-0.0))
        try realm.write { object.doubles.remove(.nan) }
        #expect(!object.doubles.contains(.nan) && object.doubles.contains(.infinity))
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func integers(_ value: Int) throws {
        let object = try realm.write {
            realm.create(Extreme.self, value: ["key": "k", "number": value, "any": value])
        }
        #expect(object.number == value && object.any == .int(value))
        #expect(object.value(forKey: "number") as? Int == value)
        try realm.write { realm.delete(object) }
    }

    @Test func integersThatDoNotFitAreNotTruncated() throws {
        let keyed = try temporaryRealm([Keyed.self])
        try keyed.write { keyed.create(Keyed.self, value: ["id": Int.min]) }
        #expect(keyed.object(ofType: Keyed.self, forPrimaryKey: Int.min) != nil)
        #expect(keyed.object(ofType: Keyed.self, forPrimaryKey: Int64.min) != nil)
        #expect(keyed.object(ofType: Keyed.self, forPrimaryKey: Int.max) == nil)
    }

    @Test(arguments: ["", "\0", "a\0b", "\u{FEFF}", "🇨🇱\u{200D}", "e\u{301}", "\u{e9}"])
    func texts(_ text: String) throws {
        try realm.write {
            realm.create(
                Extreme.self,
                value: [
                    "key": text, "text": text, "data": Data(text.utf8),
                    "byText": [text: Data()], "any": text,
                ])
        }
        let object = try #require(realm.object(ofType: Extreme.self, forPrimaryKey: text))
        #expect(Array(object.text.utf8) == Array(text.utf8) && object.any == .string(text))
        #expect(object.data == Data(text.utf8) && object.byText.keys == [text])
        #expect(object.byText[text] == .some(Data()))
    }

    @Test func canonicallyEquivalentKeysAreDifferentKeys() throws {
        try realm.write {
            realm.create(Extreme.self, value: ["key": "e\u{301}", "number": 1])
            realm.create(Extreme.self, value: ["key": "\u{e9}", "number": 2])
        }
        #expect(realm.object(ofType: Extreme.self, forPrimaryKey: "e\u{301}")?.number == 1)
        #expect(realm.object(ofType: Extreme.self, forPrimaryKey: "\u{e9}")?.number == 2)
    }

    @Test func emptyDataIsNotNil() throws {
        let object = try realm.write { realm.create(Extreme.self, value: ["data": Data()]) }
        #expect(object.data == Data() && object.float == nil)
        try realm.write { object.data = nil }
        #expect(object.data == nil)
    }
}
