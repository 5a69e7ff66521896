import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Random migrations of random tables, compared with plain Swift values.
@Suite struct MigrationModelTests {
    @Test(arguments: 1...LongTests.choose(40, otherwise: 6))
    func tablesAreWhatTheModelIs(seed: Int) throws {
        var run = try MigrationRun(seed: UInt64(seed))
        for _ in 0..<12 { try run.migrate() }
    }
}

/// A property as the model has it.
private struct ModelColumn {
    var definition: ColumnDefinition

    var zero: [OracleValue] {
        if definition.collection != .none { return [] }
        return [OracleValue(definition.type.defaultScalar(isOptional: definition.isOptional))]
    }
}

private struct MigrationRun {
    static let types: [ValueType] = [
        .int, .bool, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128, .mixed,
        .link,
    ]

    private var random: SeededGenerator
    private let directory = TestDirectory()
    private var connection: Connection
    private var columns: [ModelColumn] = []
    /// The values of each object by property: one, or the elements of a list.
    private var objects: [Int64: [String: [OracleValue]]] = [:]
    private var targets: [Int64] = []
    private var names = 0
    private var nextID: Int64 = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        connection = try Connection(Database.open(path: directory.file()))
        let id = ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)
        columns = [ModelColumn(definition: id)]
        try connection.beginWrite()
        try connection.createTables([target, definition])
        let table = try connection.table(named: "Target")!
        for number in 0..<5 {
            targets.append(try insert([OracleValue.integer(Int64(number))], into: table))
        }
        try change()
        try connection.commit()
    }

    private var target: TableDefinition {
        TableDefinition(name: "Target", columns: [ColumnDefinition(name: "n", type: .int)])
    }

    private var definition: TableDefinition {
        TableDefinition(name: "Thing", columns: columns.map(\.definition))
    }

    // MARK: Migrating

    mutating func migrate() throws {
        let old = columns
        var renamed: [(String, String)] = []
        var survivors: [ModelColumn] = []
        var kept: [String: (from: ModelColumn, to: ModelColumn)] = [:]
        for column in old {
            var new = column
            switch random.next(below: 10) {
            case 0 where column.definition.name != idName: continue
            case 1:
                new.definition.name = (column.definition.name == idName ? "id" : "") + makeName()
                renamed.append((column.definition.name, new.definition.name))
            case 2 where column.definition.name != idName: new = makeColumn(column.definition.name)
            case 3 where mayChangeOptionality(column): new.definition.isOptional.toggle()
            default: break
            }
            if hasSameForm(column.definition, new.definition) {
                kept[new.definition.name] = (column, new)
            }
            survivors.append(new)
        }
        for _ in 0..<random.next(below: 4) where survivors.count < 14 {
            survivors.append(makeColumn(makeName()))
        }
        survivors.shuffle(using: &random)
        columns = survivors
        flagColumns()
        adaptObjects(kept)
        try connection.beginWrite()
        let migration = try SchemaMigration(connection, to: [target, definition])
        let preparesEarly = random.next(below: 3) == 0
        if preparesEarly { try migration.prepare() }
        for (old, new) in renamed { try migration.rename(old, to: new, ofTable: "Thing") }
        try migration.prepare()
        if random.next(below: 2) == 0 { try change() }
        try migration.finish()
        try setIndexes()
        try connection.commit()
        try check(connection)
        try connection.beginWrite()
        try change()
        try connection.commit()
        try check(connection)
        try checkElsewhere()
    }

    /// The one property whose values are distinct, under whatever name.
    private var idName: String {
        columns.first { $0.definition.name.hasPrefix("id") }!.definition.name
    }

    private mutating func makeName() -> String {
        names += 1
        return "p\(names)"
    }

    private mutating func makeColumn(_ name: String) -> ModelColumn {
        let type = Self.types[random.next(below: Self.types.count)]
        let isList = random.next(below: 4) == 0
        let isLink = type == .link
        return ModelColumn(
            definition: ColumnDefinition(
                name: name, type: type, collection: isList ? .list : .none,
                isOptional: type == .mixed || !isLink && random.next(below: 2) == 0
                    || isLink && !isList,
                linkTarget: isLink ? "Target" : nil))
    }

    private func mayChangeOptionality(_ column: ModelColumn) -> Bool {
        let definition = column.definition
        return definition.collection == .none && definition.type.traits.reference == .none
            && !definition.name.hasPrefix("id")
    }

    private func hasSameForm(_ old: ColumnDefinition, _ new: ColumnDefinition) -> Bool {
        old.type == new.type && old.collection == new.collection
            && (old.isOptional == new.isOptional
                || old.collection == .none && old.type.traits.reference == .none)
    }

    private mutating func flagColumns() {
        let hasKey = random.next(below: 2) == 0
        for position in columns.indices {
            let definition = columns[position].definition
            columns[position].definition.isPrimaryKey = hasKey && definition.name.hasPrefix("id")
            columns[position].definition.isIndexed =
                definition.collection == .none && definition.type.traits.indexKeyKind != nil
                && !columns[position].definition.isPrimaryKey && random.next(below: 3) == 0
        }
    }

    private mutating func adaptObjects(_ kept: [String: (from: ModelColumn, to: ModelColumn)]) {
        for (key, values) in objects {
            var adapted: [String: [OracleValue]] = [:]
            for column in columns {
                let name = column.definition.name
                guard let origin = kept[name], var value = values[origin.from.definition.name]
                else {
                    adapted[name] = column.zero
                    continue
                }
                if value == [.null], !column.definition.isOptional { value = column.zero }
                adapted[name] = value
            }
            objects[key] = adapted
        }
    }

    private func setIndexes() throws {
        let table = try connection.table(named: "Thing")!
        for (position, column) in columns.enumerated() where !column.definition.isPrimaryKey {
            try connection.setIndexed(column.definition.isIndexed, position, of: table)
        }
    }
}

// MARK: - Objects

extension MigrationRun {
    /// Adds, changes and deletes some objects.
    private mutating func change() throws {
        let table = try connection.table(named: "Thing")!
        // In a migration, links and embedded objects keep their types, and keys their property.
        for _ in 0..<random.next(below: 60) { try addObject(to: table) }
        for key in objects.keys.sorted() where random.next(below: 4) == 0 {
            if random.next(below: 8) == 0 {
                try table.delete(ObjectKey(rawValue: key))
                objects[key] = nil
                continue
            }
            let position = random.next(below: columns.count)
            let column = columns[position].definition
            if column.name.hasPrefix("id") { continue }
            try setValue(of: column, at: position, of: key, in: table)
        }
    }

    private mutating func addObject(to table: Table) throws {
        var values: [OracleValue] = []
        var object: [String: [OracleValue]] = [:]
        for column in columns.map(\.definition) {
            var value = column.collection == .none ? makeValue(column) : .null
            if column.name.hasPrefix("id") {
                value = .integer(nextID)
                nextID += 1
            }
            values.append(value)
            object[column.name] = column.collection == .none ? [value] : []
        }
        objects[try insert(values, into: table)] = object
    }

    private mutating func setValue(
        of column: ColumnDefinition, at position: Int, of key: Int64, in table: Table
    ) throws {
        let value = makeValue(column)
        if column.collection == .none {
            try value.withScalar { try table.set(position, of: ObjectKey(rawValue: key), to: $0) }
            objects[key]?[column.name] = [value]
        } else {
            let list = table.list(position, of: ObjectKey(rawValue: key))
            try value.withScalar { try list.insert($0, at: 0) }
            objects[key]?[column.name]?.insert(value, at: 0)
        }
    }

    private func insert(_ values: [OracleValue], into table: Table) throws -> Int64 {
        let bytes = values.map { value in
            if case .bytes(let bytes) = value { return bytes } else { return [] }
        }
        var scalars: [Scalar] = []
        var buffers: [UnsafeMutableRawBufferPointer] = []
        defer { for buffer in buffers { buffer.deallocate() } }
        for (value, bytes) in zip(values, bytes) {
            guard case .bytes = value else {
                scalars.append(value.withScalar { $0 })
                continue
            }
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(bytes.count, 1), alignment: 8)
            buffers.append(buffer)
            buffer.copyBytes(from: bytes)
            scalars.append(.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])))
        }
        return try scalars.withUnsafeBufferPointer { try table.insert($0).rawValue }
    }

    private mutating func makeValue(_ column: ColumnDefinition) -> OracleValue {
        let isNullable = column.type == .link ? column.collection == .none : column.isOptional
        if isNullable, random.next(below: 4) == 0 { return .null }
        let number = Int64(random.next(below: 1 << 20))
        switch column.type {
        case .bool: return .integer(number & 1)
        case .int: return .integer(number)
        case .float: return .float(Float(number).bitPattern)
        case .double, .date: return .double(Double(number).bitPattern)
        case .string, .data:
            let length = random.next(below: 30) == 0 ? 3000 : random.next(below: 12)
            return .bytes([UInt8](repeating: UInt8(97 + number % 26), count: length))
        case .uuid: return .fixed16(UInt64(number), 7)
        case .decimal128: return .fixed16(UInt64(number), 0x3040_0000_0000_0000)
        case .objectID: return .fixed12(UInt64(number), 9)
        case .mixed: return OracleValue(MixedValue.int(number))
        case .link: return .integer(targets[random.next(below: targets.count)])
        case .typedLink, .embedded: return .null
        }
    }

    // MARK: Comparing

    private func check(_ connection: Connection) throws {
        #expect(try connection.verify() == [])
        let table = try #require(try connection.table(named: "Thing"))
        #expect(table.definition.columns == columns.map(\.definition))
        #expect(try table.count() == objects.count)
        for (key, object) in objects {
            for (position, column) in columns.map(\.definition).enumerated() {
                let key = ObjectKey(rawValue: key)
                var values: [OracleValue] = []
                if column.collection == .none {
                    values = [OracleValue(try table.value(position, of: key))]
                } else {
                    try table.list(position, of: key).forEach {
                        values.append(OracleValue($0))
                        return true
                    }
                }
                #expect(values == object[column.name], "\(column.name) of \(key.rawValue)")
                if column.isPrimaryKey, let value = values.first {
                    let found = try value.withScalar { try table.find(primaryKey: $0) }
                    #expect(found == key)
                }
            }
        }
    }

    /// In a copy of the file, and when the file is opened again.
    private mutating func checkElsewhere() throws {
        let path = directory.file("copy")
        try connection.writeCopy(toPath: path)
        try check(Connection(Database.open(path: path)))
        try FileManager.default.removeItem(atPath: path)
        let former = connection.database
        withExtendedLifetime(former) {}
        try check(Connection(Database.openUnregistered(path: former.path)))
    }
}
