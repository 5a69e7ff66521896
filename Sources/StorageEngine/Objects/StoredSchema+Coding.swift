/// Encoding of the schema: a sequence of variable-length integers (LEB128) and strings (length,
/// UTF-8), in the order of the declarations below. Decoding returns nil for any bytes that are not
/// a valid schema.
extension StoredSchema {
    /// The form of files whose tables no migration has changed.
    private static let firstCoding: UInt64 = 1
    /// The form of the others, which has the number of layouts, and marks what was removed.
    private static let layoutCoding: UInt64 = 2

    func encoded() -> [UInt8] {
        var writer = SchemaWriter()
        writer.write(layout == 0 ? Self.firstCoding : Self.layoutCoding)
        if layout != 0 { writer.write(layout) }
        writer.write(userVersion == nil ? 0 : 1)
        writer.write(userVersion ?? 0)
        writer.write(UInt64(nextTreeID))
        writer.write(UInt64(tables.count))
        for table in tables {
            writer.write(table.name)
            writer.write((table.isEmbedded ? 1 : 0) | (table.isRemoved ? 2 : 0))
            writer.write(UInt64(table.clusterTreeID))
            writer.write(UInt64(table.primaryKeyTreeID))
            writer.write(UInt64(table.nextColumnID))
            writer.write(UInt64(table.columns.count))
            for column in table.columns { writer.write(column) }
        }
        return writer.bytes
    }

    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = SchemaReader(bytes)
        guard let coding = reader.integer(),
            coding == Self.firstCoding || coding == Self.layoutCoding,
            let layout = coding == Self.layoutCoding ? reader.integer() : 0,
            layout == 0 || coding == Self.layoutCoding,
            let hasVersion = reader.integer(),
            let version = reader.integer(), let nextTreeID = reader.integer(UInt32.self),
            let tableCount = reader.count()
        else { return nil }
        self.layout = layout
        userVersion = hasVersion == 1 ? version : nil
        self.nextTreeID = nextTreeID
        for _ in 0..<tableCount {
            guard let table = reader.table(),
                coding == Self.layoutCoding || table.hasFirstLayout
            else { return nil }
            tables.append(table)
        }
        guard reader.isAtEnd, isConsistent else { return nil }
    }

    /// Whether the schema as a whole is valid, which decoding cannot check column by column: unique
    /// names, references between tables, tree ids in range.
    private var isConsistent: Bool {
        // Every table has at most two trees, and so has every column.
        let treeLimit = tables.reduce(2) { $0 + 2 + 2 * $1.columns.count }
        guard nextTreeID <= treeLimit, tables.count <= Self.maximumTables,
            Set(tables.map(\.name)).count == tables.count
        else { return false }
        // No two may share a tree, because each is written without regard to the other.
        var trees: Set<UInt32> = []
        for table in tables {
            guard table.problem == nil, isNew(table.clusterTreeID, in: &trees),
                (table.primaryKeyColumn == nil) == (table.primaryKeyTreeID == 0),
                table.primaryKeyTreeID == 0 || isNew(table.primaryKeyTreeID, in: &trees),
                Set(table.columns.map(\.id)).count == table.columns.count
            else { return false }
            for column in table.columns {
                if let index = column.index {
                    guard let definition = column.definition, definition.isIndexed,
                        !definition.isPrimaryKey, definition.type.traits.indexKeyKind != nil,
                        definition.collection == .none, isNew(index.values, in: &trees),
                        definition.allowsNull == (index.nulls != 0),
                        index.nulls == 0 || isNew(index.nulls, in: &trees)
                    else { return false }
                }
                guard let backlinks = column.backlinks else { continue }
                guard backlinks.originTable < tables.count,
                    backlinks.originColumn < tables[backlinks.originTable].columns.count,
                    isNew(backlinks.severalTreeID, in: &trees),
                    let origin = tables[backlinks.originTable]
                        .columns[backlinks.originColumn].definition,
                    origin.type.mayRefer
                else { return false }
            }
        }
        for origin in tables.indices {
            for column in tables[origin].columns.indices
            where tables[origin].columns[column].definition?.type.hasFixedTarget == true {
                guard backlinkColumn(ofTable: origin, column: column) != nil else { return false }
            }
        }
        return true
    }

    /// Whether a tree id has been assigned, and not to another tree.
    private func isNew(_ id: UInt32, in trees: inout Set<UInt32>) -> Bool {
        id >= Self.firstTreeID && id < nextTreeID && trees.insert(id).inserted
    }
}

extension StoredTable {
    /// Whether no migration can have changed the table.
    fileprivate var hasFirstLayout: Bool {
        !isRemoved && !columns.contains { $0.isRemoved || $0.isZeroWhereAbsent }
    }
}

private struct SchemaWriter {
    /// The numbers of bits of integers, by their code.
    static let widths = [0, 8, 16, 32, 64]

    var bytes: [UInt8] = []

    mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ string: String) {
        write(UInt64(string.utf8.count))
        bytes.append(contentsOf: string.utf8)
    }

    private func flags(of column: StoredColumn, _ definition: ColumnDefinition) -> UInt64 {
        var flags = UInt64(Self.widths.firstIndex(of: definition.integerBits) ?? 0) << 7
        if definition.isOptional { flags |= 1 }
        if definition.isPrimaryKey { flags |= 2 }
        if definition.isIndexed { flags |= 4 }
        if definition.linkTarget != nil { flags |= 8 }
        if column.index != nil { flags |= 16 }
        if column.isRemoved { flags |= 32 }
        if column.isZeroWhereAbsent { flags |= 64 }
        return flags
    }

    mutating func write(_ column: StoredColumn) {
        write(UInt64(column.id))
        switch column.content {
        case .property(let definition):
            write(0)
            write(definition.name)
            write(UInt64(definition.type.rawValue))
            write(UInt64(definition.collection.rawValue))
            write(flags(of: column, definition))
            write(definition.linkTarget ?? "")
            if let index = column.index {
                write(UInt64(index.values))
                write(UInt64(index.nulls))
            }
        case .backlinks(let backlinks):
            write(1)
            write(UInt64(backlinks.originTable))
            write(UInt64(backlinks.originColumn))
            write(UInt64(backlinks.severalTreeID))
        }
    }
}

private struct SchemaReader {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            guard shift < 64 else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        integer().flatMap { T(exactly: $0) }
    }

    /// Reads a number of items that take at least one byte each.
    mutating func count() -> Int? {
        guard let value = integer(Int.self), value <= rest.count else { return nil }
        return value
    }

    mutating func string() -> String? {
        guard let length = count() else { return nil }
        defer { rest = rest.dropFirst(length) }
        return String(validating: rest.prefix(length), as: UTF8.self)
    }

    mutating func table() -> StoredTable? {
        guard let name = string(), let flags = integer(),
            let cluster = integer(UInt32.self), let primaryKey = integer(UInt32.self),
            let nextColumn = integer(UInt16.self), let columnCount = count()
        else { return nil }
        var table = StoredTable(
            name: name, isEmbedded: flags & 1 != 0, clusterTreeID: cluster,
            primaryKeyTreeID: primaryKey, nextColumnID: nextColumn, columns: [],
            isRemoved: flags & 2 != 0)
        var hasBacklinks = false
        var hasRemoved = false
        for _ in 0..<columnCount {
            guard let column = column(), column.id < nextColumn else { return nil }
            if column.backlinks != nil { hasBacklinks = true }
            if column.isRemoved { hasRemoved = true }
            guard hasBacklinks == (column.backlinks != nil),
                hasBacklinks || hasRemoved == column.isRemoved
            else { return nil }
            table.columns.append(column)
        }
        return table
    }

    mutating func column() -> StoredColumn? {
        guard let id = integer(UInt16.self), let content = integer() else { return nil }
        if content == 1 {
            guard let table = integer(Int.self), let column = integer(Int.self),
                let tree = integer(UInt32.self)
            else { return nil }
            return StoredColumn(
                id: id,
                content: .backlinks(
                    .init(originTable: table, originColumn: column, severalTreeID: tree)))
        }
        guard content == 0, let name = string(),
            let type = integer(UInt8.self).flatMap(ValueType.init(rawValue:)),
            let collection = integer(UInt8.self).flatMap(CollectionKind.init(rawValue:)),
            let flags = integer(), let target = string()
        else { return nil }
        var index: StoredColumn.Index?
        if flags & 16 != 0 {
            guard let values = integer(UInt32.self), let nulls = integer(UInt32.self) else {
                return nil
            }
            index = .init(values: values, nulls: nulls)
        }
        let isPrimaryKey = flags & 2 != 0
        guard flags >> 7 < SchemaWriter.widths.count else { return nil }
        let definition = ColumnDefinition(
            name: name, type: type, collection: collection, isOptional: flags & 1 != 0,
            isPrimaryKey: isPrimaryKey,
            // Without trees, the flag was recorded before there were indexes.
            isIndexed: flags & 4 != 0 && (isPrimaryKey || index != nil),
            linkTarget: flags & 8 != 0 ? target : nil,
            integerBits: SchemaWriter.widths[Int(flags >> 7)])
        return StoredColumn(
            id: id, content: .property(definition), index: index, isRemoved: flags & 32 != 0,
            isZeroWhereAbsent: flags & 64 != 0)
    }
}
