import Foundation
import RealmSwift
import Testing

// Properties of another type, and properties that become optional or required.

private enum First {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var text: String
        @Persisted var ratio: Float
        @Persisted var list: List<Int>
        @Persisted var link: A?
        @Persisted var value: String
    }

    class A: VersionedObject {
        @Persisted var name: String
    }

    class B: VersionedObject {
        @Persisted var name: String
    }

    static let types: [ObjectBase.Type] = [Item.self, A.self, B.self]

    static func fill(_ realm: Realm) {
        for id in 0..<20 {
            let item = realm.create(
                Item.self,
                value: [
                    "id": id, "number": id * 10, "text": "\(id * 100)", "ratio": Float(id) / 2,
                    "value": "v\(id)",
                ])
            item.list.append(objectsIn: [id, id + 1])
            item.link = realm.create(A.self, value: ["name": "a\(id)"])
        }
    }
}

/// Every property but `id` has another type.
private enum Second {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var number: String
        @Persisted var text: Int
        @Persisted var ratio: Double
        @Persisted var list: MutableSet<Int>
        @Persisted var link: B?
        @Persisted var value: List<String>
    }

    class A: VersionedObject {
        @Persisted var name: String
    }

    class B: VersionedObject {
        @Persisted var name: String
    }

    static let types: [ObjectBase.Type] = [Item.self, A.self, B.self]
}

@Suite struct ChangedTypeTests {
    private let file = MigratedFile()

    /// Documented: a "type change clears" the values.
    @Test func aPropertyOfAnotherTypeIsEmptyInTheBlock() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { _, new in
                #expect(new?["number"] as? String == "" && new?["text"] as? Int == 0)
                #expect(new?["ratio"] as? Double == 0 && new?["link"] == nil)
                #expect((new?["list"] as? MutableSet<Int>)?.isEmpty == true)
                #expect((new?["value"] as? List<String>)?.isEmpty == true)
            }
        }
        try file.open(Second.types, version: 1) { realm in
            let items = realm.objects(Second.Item.self)
            #expect(items.map(\.id).sorted() == Array(0..<20))
            #expect(items.allSatisfy { $0.number == "" && $0.text == 0 && $0.ratio == 0 })
            #expect(items.allSatisfy { $0.list.isEmpty && $0.link == nil && $0.value.isEmpty })
        }
    }

    @Test func valuesAreConvertedInTheBlock() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                guard let old, let new else { return }
                new["number"] = String(old["number"] as? Int ?? -1)
                new["text"] = Int(old["text"] as? String ?? "")
                new["ratio"] = Double(old["ratio"] as? Float ?? -1)
                new["list"] = (old["list"] as? List<Int>).map { Array($0) } ?? []
                new["value"] = [old["value"] as? String ?? ""]
                let name = (old["link"] as? MigrationObject)?["name"] as? String ?? ""
                new["link"] = migration.create("B", value: ["name": name + " as B"])
            }
        }
        try file.open(Second.types, version: 1) { realm in
            for item in realm.objects(Second.Item.self) {
                #expect(item.number == "\(item.id * 10)" && item.text == item.id * 100)
                #expect(item.ratio == Double(item.id) / 2 && Array(item.value) == ["v\(item.id)"])
                #expect(item.list.sorted() == [item.id, item.id + 1])
                #expect(item.link?.name == "a\(item.id) as B")
            }
            #expect(realm.objects(Second.A.self).count == 20)
        }
    }

    @Test func aPropertyChangesItsTypeThereAndBack() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["number"] = String(old?["number"] as? Int ?? -1)
            }
        }
        try file.migrate(to: First.types, version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["number"] = Int(old?["number"] as? String ?? "")
            }
        }
        try file.open(First.types, version: 2) { realm in
            let items = realm.objects(First.Item.self)
            #expect(items.count == 20 && items.allSatisfy { $0.number == $0.id * 10 })
        }
    }

    @Test func aChangedTypeIsAnErrorThatNamesBothTypes() throws {
        try file.write(First.types, First.fill)
        let text = file.failure(opening: Second.types)?.localizedDescription ?? ""
        for line in [
            "- Property 'Item.number' has been changed from 'int' to 'string'.",
            "- Property 'Item.text' has been changed from 'string' to 'int'.",
            "- Property 'Item.ratio' has been changed from 'float' to 'double'.",
            "- Property 'Item.list' has been changed from 'array<int>' to 'set<int>'.",
            "- Property 'Item.link' has been changed from '<A>' to '<B>'.",
            "- Property 'Item.value' has been changed from 'string' to 'array<string>'.",
        ] {
            #expect(text.contains("\n" + line), "\(line)\n\(text)")
        }
        #expect(!text.contains("Item.id'"))
        try file.open(First.types) { realm in
            #expect(realm.objects(First.Item.self).allSatisfy { $0.number == $0.id * 10 })
        }
    }
}

// MARK: Narrowing

private enum Broad {
    class Gauge: VersionedObject {
        @Persisted var level: Int
        @Persisted var maximum: Int?
        @Persisted var levels: List<Int>
    }

    static let types: [ObjectBase.Type] = [Gauge.self]
}

private enum Narrow {
    class Gauge: VersionedObject {
        @Persisted var level: Int8
        @Persisted var maximum: Int16?
        @Persisted var levels: List<Int32>
    }

    static let types: [ObjectBase.Type] = [Gauge.self]
}

@Suite struct NarrowedPropertyTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(Broad.types) { realm in
            realm.create(
                Broad.Gauge.self, value: ["level": 300, "maximum": 70_000, "levels": [1 << 40]])
        }
    }

    /// 300 must not be read as 44.
    @Test func anIntegerTypeWithFewerBitsIsAnError() throws {
        try fill()
        let error = file.failure(opening: Narrow.types)
        #expect(error?.code == .schemaMismatch)
        let text = error?.localizedDescription ?? ""
        #expect(text.hasPrefix("Migration is required due to the following errors:\n- "))
        for name in ["level", "maximum", "levels"] {
            #expect(
                text.contains("- Property 'Gauge.\(name)' has been changed from '"), "\(text)")
        }
        try file.open(Broad.types) { realm in
            let gauge = try #require(realm.objects(Broad.Gauge.self).first)
            #expect(gauge.level == 300 && gauge.maximum == 70_000 && gauge.levels[0] == 1 << 40)
        }
    }

    @Test func aBlockNarrowsIntegers() throws {
        try fill()
        try file.migrate(to: Narrow.types) { migration, _ in
            migration.enumerateObjects(ofType: "Gauge") { old, new in
                let level = old?["level"] as? Int ?? 0
                #expect(level == 300)
                new?["level"] = Int8(clamping: level)
                new?["maximum"] = Int16(clamping: old?["maximum"] as? Int ?? 0)
                new?["levels"] = (old?["levels"] as? List<Int>).map { Array($0) }?.map {
                    Int32(clamping: $0)
                }
            }
        }
        try file.open(Narrow.types, version: 1) { realm in
            let gauge = try #require(realm.objects(Narrow.Gauge.self).first)
            #expect(
                gauge.level == 127 && gauge.maximum == Int16.max && gauge.levels[0] == Int32.max)
        }
    }

    @Test func narrowIntegersAreWidenedWithoutLoss() throws {
        try file.write(Narrow.types) { realm in
            realm.create(
                Narrow.Gauge.self, value: ["level": -128, "maximum": 32_767, "levels": [-5]])
        }
        try file.migrate(to: Broad.types) { migration, _ in
            migration.enumerateObjects(ofType: "Gauge") { old, new in
                new?["level"] = old?["level"] as? Int
                new?["maximum"] = old?["maximum"] as? Int
                new?["levels"] =
                    (old?["levels"] as? List<Int32>).map { Array($0) }?.map { Int($0) } ?? [-5]
            }
        }
        try file.open(Broad.types, version: 1) { realm in
            let gauge = try #require(realm.objects(Broad.Gauge.self).first)
            #expect(gauge.level == -128 && gauge.maximum == 32_767 && gauge.levels[0] == -5)
        }
    }
}

// MARK: Optional and required

private enum Required {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var int: Int
        @Persisted var double: Double
        @Persisted var string: String
        @Persisted var data: Data
        @Persisted var bool: Bool
        @Persisted var list: List<Int>
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Optionals {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var int: Int?
        @Persisted var double: Double?
        @Persisted var string: String?
        @Persisted var data: Data?
        @Persisted var bool: Bool?
        @Persisted var list: List<Int?>
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct NullabilityMigrationTests {
    private let file = MigratedFile()

    private func fillRequired() throws {
        try file.write(Required.types) { realm in
            for id in 1...10 {
                let item = Required.Item()
                (item.id, item.int, item.double, item.string) = (id, id * 2, Double(id), "s\(id)")
                (item.data, item.bool) = (Data([UInt8(id)]), true)
                item.list.append(objectsIn: [id, 0])
                realm.add(item)
            }
        }
    }

    /// Objects with an even number have values, and the others have nil.
    private func fillOptional() throws {
        try file.write(Optionals.types) { realm in
            for id in 1...10 {
                let item = Optionals.Item()
                item.id = id
                if id.isMultiple(of: 2) {
                    (item.int, item.double, item.string) = (id * 2, Double(id), "s\(id)")
                    (item.data, item.bool) = (Data([UInt8(id)]), true)
                }
                item.list.append(objectsIn: [id, nil])
                realm.add(item)
            }
        }
    }

    @Test func propertiesMadeOptionalKeepTheirValues() throws {
        try fillRequired()
        try file.migrate(to: Optionals.types)
        try file.open(Optionals.types, version: 1) { realm in
            let items = realm.objects(Optionals.Item.self)
            #expect(items.count == 10)
            for item in items {
                #expect(item.int == item.id * 2 && item.double == Double(item.id))
                #expect(item.string == "s\(item.id)" && item.data == Data([UInt8(item.id)]))
                #expect(item.bool == true && Array(item.list) == [item.id, 0])
            }
            try realm.write {
                items[0].int = nil
                items[0].string = nil
            }
            #expect(items.filter("int == nil AND string == nil").count == 1)
        }
    }

    @Test func inPropertiesMadeRequiredNilBecomesTheEmptyValue() throws {
        try fillOptional()
        try file.migrate(to: Required.types)
        try file.open(Required.types, version: 1) { realm in
            let items = realm.objects(Required.Item.self)
            #expect(items.count == 10)
            for item in items {
                let had = item.id.isMultiple(of: 2)
                #expect(item.int == (had ? item.id * 2 : 0))
                #expect(item.double == (had ? Double(item.id) : 0))
                #expect(item.string == (had ? "s\(item.id)" : ""))
                #expect(item.data == (had ? Data([UInt8(item.id)]) : Data()))
                #expect(item.bool == had)
                #expect(Array(item.list) == [item.id, 0])
            }
            #expect(items.filter("int == 0").count == 5)
        }
    }

    @Test func theBlockSetsOtherValuesForNil() throws {
        try fillOptional()
        try file.migrate(to: Required.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                if old?["int"] == nil { new?["int"] = -1 }
                if old?["string"] == nil { new?["string"] = "n/a" }
            }
        }
        try file.open(Required.types, version: 1) { realm in
            for item in realm.objects(Required.Item.self) {
                let had = item.id.isMultiple(of: 2)
                #expect(item.int == (had ? item.id * 2 : -1))
                #expect(item.string == (had ? "s\(item.id)" : "n/a"))
            }
        }
    }

    @Test func bothChangesWithoutAHigherVersionAreErrors() throws {
        try fillRequired()
        let made = file.failure(opening: Optionals.types)?.localizedDescription ?? ""
        for name in ["int", "double", "string", "data", "bool"] {
            #expect(made.contains("- Property 'Item.\(name)' has been made optional."), "\(made)")
        }
        let other = MigratedFile()
        try other.write(Optionals.types) { _ in }
        let required = other.failure(opening: Required.types)?.localizedDescription ?? ""
        for name in ["int", "double", "string", "data", "bool"] {
            #expect(
                required.contains("- Property 'Item.\(name)' has been made required."),
                "\(required)")
        }
    }
}

private enum WithNulls {
    class Item: VersionedObject {
        @Persisted var texts: List<String?>
        @Persisted var numbers: MutableSet<Int?>
        @Persisted var ratios: Map<String, Double?>
        @Persisted var uuids: List<UUID?>
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum WithoutNulls {
    class Item: VersionedObject {
        @Persisted var texts: List<String>
        @Persisted var numbers: MutableSet<Int>
        @Persisted var ratios: Map<String, Double>
        @Persisted var uuids: List<UUID>
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// Elements of collections that become optional or required. Collections with many elements are
/// stored in another way than those with few.
@Suite struct CollectionNullabilityTests {
    private let file = MigratedFile()
    private let uuid = UUID()

    private func texts(_ count: Int) -> [String?] {
        (0..<count).map { $0 % 3 == 0 ? nil : String(repeating: "text \($0) ", count: $0 % 20) }
    }

    private func fill(_ count: Int) throws {
        try file.write(WithNulls.types) { realm in
            for _ in 0..<2 {
                let item = realm.create(WithNulls.Item.self)
                item.texts.append(objectsIn: texts(count))
                item.numbers.insert(objectsIn: [nil] + (0..<count).map { $0 })
                for index in 0..<count {
                    item.ratios["k\(index)"] = index % 3 == 0 ? nil : Double(index)
                }
                item.uuids.append(objectsIn: [uuid, nil])
            }
            realm.create(WithNulls.Item.self)
        }
    }

    @Test(arguments: [4, 3000]) func nilElementsBecomeEmptyAndOthersStay(count: Int) throws {
        try fill(count)
        try file.migrate(to: WithoutNulls.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                let (before, after) = (old?["texts"] as? List<String?>, new?["texts"])
                #expect(before?.count == (after as? List<String>)?.count)
            }
        }
        try file.open(WithoutNulls.types, version: 1) { realm in
            let items = realm.objects(WithoutNulls.Item.self)
            #expect(items.count == 3 && items[2].texts.isEmpty && items[2].ratios.count == 0)
            let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            for item in items.prefix(2) {
                #expect(Array(item.texts) == texts(count).map { $0 ?? "" })
                #expect(Set(item.numbers) == Set(0..<count))
                #expect(item.ratios.count == count && item.ratios["k3"] == 0)
                #expect(item.ratios["k2"] == 2 && Array(item.uuids) == [uuid, zero])
            }
        }
        #expect(try file.problems() == [])
    }

    @Test(arguments: [4, 3000]) func elementsMadeOptionalStay(count: Int) throws {
        try fill(count)
        try file.migrate(to: WithoutNulls.types)
        try file.migrate(to: WithNulls.types, version: 2)
        try file.open(WithNulls.types, version: 2) { realm in
            let item = try #require(realm.objects(WithNulls.Item.self).first)
            #expect(Array(item.texts) == texts(count).map { $0 ?? "" })
            #expect(Set(item.numbers) == Set(0..<count) && item.ratios["k2"] == 2)
            try realm.write {
                item.texts.append(nil)
                item.numbers.insert(nil)
                item.ratios["none"] = .some(nil)
            }
            #expect(item.texts.last == .some(nil) && item.numbers.count == count + 1)
        }
        #expect(try file.problems() == [])
    }
}

// MARK: What is stored alike

private enum Plain {
    class Item: VersionedObject {
        @Persisted var kind: String
        @Persisted var place: String
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Typed {
    enum Kind: String, PersistableEnum {
        case tree, bush
    }

    struct Place: CustomPersistable {
        typealias PersistedType = String
        let name: String
        init(persistedValue: String) { name = persistedValue }
        var persistableValue: String { name }
    }

    class Item: VersionedObject {
        @Persisted var kind: Kind
        @Persisted var place: Place
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// Documented: "Changing a property from its persisted type to its mapped type, or vice versa, does
/// not require a migration."
@Suite struct MappedTypeMigrationTests {
    private let file = MigratedFile()

    @Test func mappedTypesNeedNoMigration() throws {
        try file.write(Plain.types) { realm in
            realm.create(Plain.Item.self, value: ["kind": "bush", "place": "garden"])
        }
        try file.open(Typed.types) { realm in
            let item = try #require(realm.objects(Typed.Item.self).first)
            #expect(item.kind == .bush && item.place.name == "garden")
        }
        try file.open(Plain.types) { realm in
            #expect(realm.objects(Plain.Item.self).first?.place == "garden")
        }
    }

    @Test func migrationObjectsHaveThePersistedValues() throws {
        try file.write(Typed.types) { realm in
            realm.create(Typed.Item.self, value: ["kind": "bush", "place": "garden"])
        }
        try file.migrate(to: Typed.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                #expect(old?["kind"] as? String == "bush" && old?["place"] as? String == "garden")
                new?["kind"] = "tree"
                new?["place"] = "park"
            }
        }
        try file.open(Typed.types, version: 1) { realm in
            let item = try #require(realm.objects(Typed.Item.self).first)
            #expect(item.kind == .tree && item.place.name == "park")
        }
    }
}
