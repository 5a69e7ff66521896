import StorageEngine

/// A comparison of a file's schema with the classes of the application.
enum SchemaComparison {
    /// Returns one sentence for each difference that needs a migration. Tables without a class and
    /// added or removed indexes need none.
    static func differences(
        stored: [TableDefinition], wanted: [TableDefinition]
    ) -> [String] {
        let stored = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return wanted.flatMap { table in
            stored[table.name].map { differences(stored: $0, wanted: table) } ?? []
        }
    }

    /// An index to add or to remove.
    struct IndexChange {
        var table: String
        /// The position of the column in the stored table.
        var column: Int
        var isIndexed: Bool
    }

    /// Returns the changes of indexes to make when a file is opened. Primary keys are not included,
    /// because they always have an index.
    static func indexChanges(
        stored: [TableDefinition], wanted: [TableDefinition]
    ) -> [IndexChange] {
        let stored = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return wanted.flatMap { table in
            (stored[table.name]?.columns ?? []).enumerated().compactMap { position, column in
                guard let new = table.columns.first(where: { $0.name == column.name }),
                    !column.isPrimaryKey, new.isIndexed != column.isIndexed
                else { return nil }
                return IndexChange(
                    table: table.name, column: position, isIndexed: new.isIndexed)
            }
        }
    }

    private static func differences(
        stored: TableDefinition, wanted: TableDefinition
    ) -> [String] {
        let name = wanted.name
        var result: [String] = []
        for column in stored.columns {
            guard let new = wanted.columns.first(where: { $0.name == column.name }) else {
                result.append("Property '\(name).\(column.name)' has been removed.")
                continue
            }
            if let change = narrowing(from: column, to: new)
                ?? change(from: StoredType(column), to: StoredType(new))
            {
                result.append("Property '\(name).\(column.name)' has been \(change).")
            }
        }
        for column in wanted.columns
        where !stored.columns.contains(where: { $0.name == column.name }) {
            result.append("Property '\(name).\(column.name)' has been added.")
        }
        if stored.isEmbedded != wanted.isEmbedded {
            let change =
                wanted.isEmbedded ? "from top-level to embedded" : "from embedded to top-level"
            result.append("Class '\(name)' has been changed \(change).")
        }
        if let change = primaryKeyChange(stored: stored, wanted: wanted) {
            result.append("Primary Key for class '\(name)' has been \(change).")
        }
        return result
    }

    /// A smaller type of integers, which could not hold all values that are stored.
    private static func narrowing(
        from old: ColumnDefinition, to new: ColumnDefinition
    ) -> String? {
        guard old.collection == new.collection, old.isWider(than: new) else { return nil }
        func type(_ column: ColumnDefinition) -> StoredType {
            var type = StoredType(column)
            if column.integerBits != 0 { type.shownBits = column.integerBits }
            return type
        }
        return "changed from '\(type(old))' to '\(type(new))'"
    }

    /// A width of integers to record.
    struct WidthChange {
        var table: String
        /// The position of the column in the stored table.
        var column: Int
        var bits: Int
    }

    /// Returns the widths that are not recorded as they are now. Where none is recorded, that means
    /// the greatest.
    static func widthChanges(
        stored: [TableDefinition], wanted: [TableDefinition]
    ) -> [WidthChange] {
        let stored = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return wanted.flatMap { table in
            (stored[table.name]?.columns ?? []).enumerated().compactMap { position, column in
                guard let new = table.columns.first(where: { $0.name == column.name }),
                    column.type == .int, new.type == .int, new.integerBits != 0,
                    max(column.integerBits, 1) != new.integerBits,
                    column.integerBits != 0 || new.integerBits != 64
                else { return nil }
                return WidthChange(
                    table: table.name, column: position, bits: new.integerBits)
            }
        }
    }

    private static func change(from old: StoredType, to new: StoredType) -> String? {
        if old == new { return nil }
        var oldWithNewOptionality = old
        oldWithNewOptionality.isOptional = new.isOptional
        if oldWithNewOptionality == new {
            return new.isOptional ? "made optional" : "made required"
        }
        return "changed from '\(old)' to '\(new)'"
    }

    private static func primaryKeyChange(
        stored: TableDefinition, wanted: TableDefinition
    ) -> String? {
        let old = stored.columns.first(where: \.isPrimaryKey)?.name
        let new = wanted.columns.first(where: \.isPrimaryKey)?.name
        switch (old, new) {
        case (let old?, let new?): return old == new ? nil : "changed from '\(old)' to '\(new)'"
        case (_?, nil): return "removed"
        case (nil, _?): return "added"
        case (nil, nil): return nil
        }
    }
}
