@testable import StorageEngine

/// Changes a file in all ways that the engine has.
struct FileEditor {
    /// A kind of change. Each step is one transaction.
    enum Step: CaseIterable {
        case insert, set, collections, indexes, deleteSome, deleteAll
    }

    private let connection: Connection
    private let tables: [Table]

    init(_ connection: Connection) throws {
        self.connection = connection
        tables = try connection.tableDefinitions().compactMap {
            try connection.table(named: $0.name)
        }
    }

    func run(_ step: Step) throws {
        for table in tables {
            switch step {
            case .insert: try insert(table)
            case .set: try forSomeObjects(table) { try set(table, $0) }
            case .collections: try forSomeObjects(table) { try changeCollections(table, $0) }
            case .indexes: try makeIndexesAnew(table)
            case .deleteSome: try deleteSome(table)
            case .deleteAll: try table.deleteAll()
            }
        }
    }

    private func forSomeObjects(_ table: Table, _ body: (ObjectKey) throws -> Void) throws {
        let count = try table.count()
        let positions = [0, 1, count / 3, count / 2, count - 1]
        let keys = try positions.filter { $0 >= 0 && $0 < count }.map { try table.key(at: $0) }
        for key in keys { try body(key) }
    }

    private func insert(_ table: Table) throws {
        if table.isEmbedded { return }
        for number in 0..<40 {
            let text = "inserted \(number) " + String(repeating: "z", count: number * 20)
            try withText(text) { text in
                _ = try table.insert(
                    table.definition.columns.map { value(of: $0, number: 900_000 + number, text) })
            }
        }
    }

    private func value(of column: ColumnDefinition, number: Int, _ text: Scalar) -> Scalar {
        if column.collection != .none || column.type.hasFixedTarget { return .null }
        switch column.type {
        case .mixed, .typedLink: return .null
        default: break
        }
        switch column.type.columnKind {
        case .integer: return .integer(column.type == .bool ? 1 : Int64(number))
        case .float: return .float(Float(number) / 7)
        case .double: return .double(Double(number) / 7)
        case .bytes: return text
        case .fixed16: return .fixed16(UInt64(number), 5)
        case .fixed12: return .fixed12(UInt64(number), 5)
        }
    }

    private func set(_ table: Table, _ key: ObjectKey) throws {
        guard try table.contains(key) else { return }
        for (column, definition) in table.definition.columns.enumerated()
        where definition.collection == .none && !definition.isPrimaryKey {
            if definition.type == .embedded {
                _ = try table.createEmbedded(
                    column, of: key, with: UnsafeBufferPointer(start: nil, count: 0))
            } else if definition.type == .mixed {
                try table.setEmpty(.map, column, of: key)
            } else {
                try withText("set anew") {
                    let number = Int(key.rawValue & 0xFFFF)
                    try table.set(column, of: key, to: value(of: definition, number: number, $0))
                }
            }
        }
    }

    private func changeCollections(_ table: Table, _ key: ObjectKey) throws {
        guard try table.contains(key) else { return }
        for (column, definition) in table.definition.columns.enumerated() {
            switch definition.collection {
            case .none: break
            case .list:
                let list = table.list(column, of: key)
                let count = try list.count()
                if count > 1 {
                    try list.move(from: 0, to: count - 1)
                    try list.remove(at: count / 2)
                }
                guard definition.type != .embedded, count > 2 else { break }
                let value = try list.value(at: 0)
                if NestedCollection(value) == nil { try list.insert(value, at: 1) }
                if count % 2 == 0 { try list.removeAll() }
            case .set:
                let set = table.set(column, of: key)
                if try set.count() > 0 { try set.remove(try set.value(at: 0)) }
                if try set.count() % 2 == 0 { try set.removeAll() }
            case .map:
                let map = table.map(column, of: key)
                guard try map.count() > 0 else { break }
                let name = Array(try map.entry(at: 0).key)
                _ = try name.withUnsafeBytes { try map.removeValue(forKey: $0) }
                if definition.type == .mixed {
                    try name.withUnsafeBytes { try map.setEmpty(.list, forKey: $0) }
                }
                if try map.count() % 2 == 0 { try map.removeAll() }
            }
        }
    }

    private func makeIndexesAnew(_ table: Table) throws {
        for column in table.indexes.all.map(\.column) {
            try connection.setIndexed(false, column, of: table)
            try connection.setIndexed(true, column, of: table)
        }
    }

    private func deleteSome(_ table: Table) throws {
        try forSomeObjects(table) { if try table.contains($0) { try table.delete($0) } }
        let count = try table.count()
        var keys: [ObjectKey] = []
        for position in stride(from: 0, to: min(count, 300), by: 3) {
            keys.append(try table.key(at: position))
        }
        try table.delete(keys)
    }
}
