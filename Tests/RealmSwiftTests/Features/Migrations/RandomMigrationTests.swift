import Foundation
import RealmSwift
import Testing
import ToolSupport

// Random migrations between versions of one class, compared with a model in memory.

private enum Variants {
    enum A {
        class Item: VersionedObject {
            @Persisted var id: Int
            @Persisted var a: Int
            @Persisted var b: String
            @Persisted var c: Double?
            @Persisted var list: List<Int>
            @Persisted var next: Item?
        }
    }

    enum B {
        class Item: VersionedObject {
            @Persisted var next: Item?
            @Persisted var b: String?
            @Persisted var a: Int
            @Persisted var d: Int?
            @Persisted var id: Int
        }
    }

    enum C {
        class Item: VersionedObject {
            @Persisted(indexed: true) var id: Int
            @Persisted var a: String
            @Persisted var d: Int
            @Persisted var list: List<Int>
            @Persisted var c: Double
            @Persisted var other: Item?
        }
    }

    enum D {
        class Item: VersionedObject {
            @Persisted var id: Int
            @Persisted(indexed: true) var a: Int?
            @Persisted var list: List<String>
            @Persisted var b: String
            @Persisted var e: Int
        }
    }

    enum E {
        class Item: VersionedObject {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var numbers: List<Int>
            @Persisted var c: Double?
            @Persisted var f: String
            @Persisted var d: Int?
            @Persisted var next: Item?
        }
    }

    static let all: [VersionedObject.Type] = [
        A.Item.self, B.Item.self, C.Item.self, D.Item.self, E.Item.self,
    ]
}

/// The value of a property in the model.
private enum Stored: Equatable {
    case null, int(Int), text(String), real(Double), ints([Int]), texts([String])
    /// A link to the object with a number.
    case link(Int)

    /// What is assigned to a property; nil for a link.
    var assigned: Any? {
        switch self {
        case .null, .link: nil
        case .int(let value): value
        case .text(let value): value
        case .real(let value): value
        case .ints(let values): values
        case .texts(let values): values
        }
    }
}

extension Property {
    fileprivate var emptyValue: Stored {
        if isArray { return type == .int ? .ints([]) : .texts([]) }
        if isOptional { return .null }
        switch type {
        case .int: return .int(0)
        case .string: return .text("")
        case .double: return .real(0)
        default: return .null
        }
    }

    fileprivate func isOfTheType(of other: Property) -> Bool {
        type == other.type && isArray == other.isArray && objectClassName == other.objectClassName
    }
}

private typealias Row = [String: Stored]

/// A file and its model. Unchecked because the blocks that capture it run on the test's thread.
private final class MigrationModel: @unchecked Sendable {
    private let file = MigratedFile()
    private let schemas = Variants.all.map { $0.init().objectSchema }
    private var random: SeededGenerator
    private var rows: [Int: Row] = [:]
    private var nextId = 0
    private var variant = 0
    private var version: UInt64 = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func step() throws {
        try changeSome()
        try compare()
        try migrate()
        try compare()
    }

    // MARK: Changes

    private func changeSome() throws {
        let schema = schemas[variant]
        try file.open([Variants.all[variant]], version: version) { realm in
            try realm.write {
                for _ in 0..<random.next(below: 30) {
                    create(schema) { realm.dynamicCreate($0, value: $1) }
                }
                let objects = Array(realm.dynamicObjects("Item"))
                for object in objects where random.next(below: 3) == 0 { set(object, schema) }
                for object in objects where random.next(below: 4) == 0 {
                    link(object, to: objects[random.next(below: objects.count)], schema)
                }
                for object in objects where random.next(below: 12) == 0 {
                    forget(object)
                    realm.delete(object)
                }
            }
        }
    }

    private func create(_ schema: ObjectSchema, _ make: (String, Any) -> DynamicObject) {
        var row: Row = [:]
        for property in schema.properties { row[property.name] = property.emptyValue }
        row["id"] = .int(nextId)
        rows[nextId] = row
        set(make("Item", ["id": nextId]), schema)
        nextId += 1
    }

    /// Sets a random property, but no link.
    private func set(_ object: DynamicObject, _ schema: ObjectSchema) {
        let properties = schema.properties.filter { $0.name != "id" && $0.type != .object }
        guard let id = object["id"] as? Int, let property = properties.randomElement(using: &random)
        else { return }
        let value = randomValue(of: property)
        object[property.name] = value.assigned
        rows[id]?[property.name] = value
    }

    private func randomValue(of property: Property) -> Stored {
        if property.isOptional, random.next(below: 4) == 0 { return .null }
        let number = random.next(below: 5) == 0 ? Int(truncatingIfNeeded: random.next()) : 7
        let text = String(repeating: "text", count: random.next(below: 30))
        let count = random.next(below: 5)
        switch property.type {
        case .int:
            return property.isArray ? .ints(Array(repeating: number, count: count)) : .int(number)
        case .string:
            return property.isArray ? .texts(Array(repeating: text, count: count)) : .text(text)
        default: return .real(Double(random.next(below: 100)) / 8)
        }
    }

    private func link(_ object: DynamicObject, to target: DynamicObject, _ schema: ObjectSchema) {
        guard let property = schema.properties.first(where: { $0.type == .object }),
            let id = object["id"] as? Int, let targetId = target["id"] as? Int
        else { return }
        object[property.name] = target
        rows[id]?[property.name] = .link(targetId)
    }

    /// Removes an object from the model, and all links to it.
    private func forget(_ object: DynamicObject) {
        guard let id = object["id"] as? Int else { return }
        rows[id] = nil
        rows = rows.mapValues { row in row.mapValues { $0 == .link(id) ? .null : $0 } }
    }

    // MARK: Migrations

    private func migrate() throws {
        let (previous, next) = (variant, random.next(below: schemas.count))
        let (old, new) = (schemas[previous], schemas[next])
        let sources = renamings(from: old, to: new)
        let before = rows
        rows = rows.mapValues { converted($0, from: old, to: new, sources) }
        version += 1
        try file.migrate(to: [Variants.all[next]], version: version) {
            [self] migration, oldVersion in
            #expect(oldVersion == version - 1)
            for name in sources.keys.sorted() {
                migration.renameProperty(onType: "Item", from: sources[name]!, to: name)
            }
            // A schema is not sendable, so the block finds both by their places.
            change(migration, from: schemas[previous], to: schemas[next], before)
        }
        variant = next
    }

    /// Returns the old names of some properties, by their new ones.
    private func renamings(from old: ObjectSchema, to new: ObjectSchema) -> [String: String] {
        var sources: [String: String] = [:]
        for property in new.properties where old[property.name] == nil {
            let taken = Set(sources.values)
            let candidates = old.properties.filter {
                new[$0.name] == nil && !taken.contains($0.name) && $0.isOfTheType(of: property)
                    && (property.isOptional || !$0.isOptional)
            }
            guard random.next(below: 3) > 0 else { continue }
            sources[property.name] = candidates.randomElement(using: &random)?.name
        }
        return sources
    }

    private func converted(
        _ row: Row, from old: ObjectSchema, to new: ObjectSchema, _ sources: [String: String]
    ) -> Row {
        var result: Row = [:]
        for property in new.properties {
            let source = sources[property.name] ?? property.name
            if let before = old[source], before.isOfTheType(of: property),
                let value = row[source], value != .null || property.isOptional
            {
                result[property.name] = value
            } else {
                result[property.name] = property.emptyValue
            }
        }
        return result
    }

    /// What the block does: it compares all objects, and changes, deletes and creates some.
    private func change(
        _ migration: Migration, from old: ObjectSchema, to new: ObjectSchema, _ before: [Int: Row]
    ) {
        var seen: [Int] = []
        migration.enumerateObjects(ofType: "Item") { oldObject, newObject in
            guard let oldObject, let newObject, let id = oldObject["id"] as? Int else {
                Issue.record("an object of a class in both schemas has no pair")
                return
            }
            seen.append(id)
            #expect(read(oldObject, old) == before[id])
            #expect(read(newObject, new) == rows[id])
            switch random.next(below: 10) {
            case 0:
                forget(newObject)
                migration.delete(newObject)
            case 1...3: set(newObject, new)
            default: break
            }
        }
        #expect(seen.sorted() == before.keys.sorted())
        for _ in 0..<random.next(below: 4) { create(new) { migration.create($0, value: $1) } }
    }

    // MARK: Comparing

    func finish() throws { #expect(try file.problems() == []) }

    private func compare() throws {
        let found = try file.open([Variants.all[variant]], version: version) { realm in
            Array(realm.dynamicObjects("Item")).map { read($0, schemas[variant]) }
        }
        #expect(found.count == rows.count)
        for row in found {
            guard case .int(let id)? = row["id"] else { continue }
            #expect(row == rows[id], "object \(id) in version \(version)")
        }
    }

    private func read(_ object: DynamicObject, _ schema: ObjectSchema) -> Row {
        schema.properties.reduce(into: [:]) { row, property in
            row[property.name] = value(of: property, in: object)
        }
    }

    private func value(of property: Property, in object: DynamicObject) -> Stored {
        let value = object[property.name]
        switch (property.type, property.isArray) {
        case (.int, true): return .ints((value as? List<Int>).map { Array($0) } ?? [-1])
        case (.string, true): return .texts((value as? List<String>).map { Array($0) } ?? ["?"])
        case (.int, false): return (value as? Int).map(Stored.int) ?? .null
        case (.string, false): return (value as? String).map(Stored.text) ?? .null
        case (.double, false): return (value as? Double).map(Stored.real) ?? .null
        default: return ((value as? ObjectBase)?["id"] as? Int).map(Stored.link) ?? .null
        }
    }
}

@Suite struct RandomMigrationTests {
    @Test(arguments: Array(1...12) as [UInt64])
    func everyMigrationKeepsWhatTheSchemasShare(seed: UInt64) throws {
        let model = MigrationModel(seed: seed)
        for _ in 0..<15 { try model.step() }
        try model.finish()
    }
}
