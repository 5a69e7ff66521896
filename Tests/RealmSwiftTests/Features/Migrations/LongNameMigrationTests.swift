import Foundation
import RealmSwift
import Testing

// Documented: "Class names are limited to a maximum of 57 UTF8 characters. Property names are
// limited to a maximum of 63 UTF8 characters." What a migration removes keeps its place in the
// file under a name of its own, which takes more.

/// 57 bytes, in letters of two bytes and one of one.
private let longestClass = String(repeating: "é", count: 28) + "c"
/// 63 bytes.
private let longestProperty = String(repeating: "é", count: 31) + "p"

private enum First {
    class Long: Object {
        @Persisted var number: Int
        override class func className() -> String { longestClass }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Item: VersionedObject {
        @Persisted var number: Int
        @Persisted var link: Long?
        @Persisted var links: List<Long>
        override class func propertiesMapping() -> [String: String] { ["link": longestProperty] }
    }

    static let types: [ObjectBase.Type] = [Long.self, Item.self]
}

private enum Without {
    class Item: VersionedObject {
        @Persisted var number: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Renamed {
    class Long: Object {
        @Persisted var number: Int
        override class func className() -> String { longestClass }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Item: VersionedObject {
        @Persisted var number: Int
        @Persisted var other: Long?
        @Persisted var links: List<Long>
        override class func propertiesMapping() -> [String: String] {
            // As long, and another one.
            ["other": String(longestProperty.dropLast() + "q")]
        }
    }

    static let types: [ObjectBase.Type] = [Long.self, Item.self]
}

@Suite struct LongNameMigrationTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(First.types) { realm in
            for number in 0..<5 {
                let long = realm.create(First.Long.self, value: ["number": number])
                let item = realm.create(First.Item.self, value: ["number": number])
                item.link = long
                item.links.append(long)
            }
        }
    }

    @Test func theNamesAreAsLongAsMayBe() {
        #expect(longestClass.utf8.count == 57 && longestProperty.utf8.count == 63)
    }

    /// Removed and added several times, so that there are several of each that were removed.
    @Test func classesAndPropertiesAreRemovedAndAddedAgain() throws {
        try fill()
        for round: UInt64 in 1...3 {
            try file.migrate(to: Without.types, version: 2 * round - 1) { migration, _ in
                #expect(migration.deleteData(forType: longestClass))
            }
            #expect(try file.problems() == [])
            try file.migrate(to: First.types, version: 2 * round)
            try file.open(First.types, version: 2 * round) { realm in
                let items = realm.objects(First.Item.self)
                #expect(items.map(\.number) == [0, 1, 2, 3, 4])
                #expect(items.allSatisfy { $0.link == nil && $0.links.isEmpty })
                #expect(realm.objects(First.Long.self).isEmpty)
                try realm.write {
                    let long = realm.create(First.Long.self, value: ["number": Int(round)])
                    for item in items { item.link = long }
                }
                #expect(items.map { $0.link?.number } == Array(repeating: Int(round), count: 5))
            }
            #expect(try file.problems() == [])
        }
    }

    @Test func aPropertyIsRemovedWhoseTargetsStay() throws {
        try fill()
        try file.migrate(to: Without.types)
        #expect(try file.problems() == [])
        try file.open([First.Long.self] + Without.types, version: 1) { realm in
            #expect(realm.objects(First.Long.self).count == 5)
            try realm.write { realm.delete(realm.objects(First.Long.self)) }
        }
        #expect(try file.problems() == [])
    }

    @Test func aPropertyIsRenamed() throws {
        try fill()
        try file.migrate(to: Renamed.types) { migration, _ in
            migration.renameProperty(
                onType: "Item", from: longestProperty, to: String(longestProperty.dropLast()) + "q")
        }
        try file.open(Renamed.types, version: 1) { realm in
            let items = realm.objects(Renamed.Item.self)
            #expect(items.map { $0.other?.number } == [0, 1, 2, 3, 4])
            #expect(items.map(\.links.count) == [1, 1, 1, 1, 1])
        }
        #expect(try file.problems() == [])
    }
}
