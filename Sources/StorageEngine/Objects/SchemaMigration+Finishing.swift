/// What the end of a migration has to do for each object.
extension SchemaMigration {
    /// The number of objects that are looked for before they are changed.
    private static let batch = 4096

    /// Visits the objects of a table that satisfy a condition. They may be changed, but not
    /// deleted.
    func forEachKey(
        of table: Table, where isWanted: (RowLocation) throws(StorageError) -> Bool,
        then body: (ObjectKey) throws(StorageError) -> Void
    ) throws(StorageError) {
        var position = 0
        let count = try table.count()
        var keys: [ObjectKey] = []
        while position < count {
            keys.removeAll(keepingCapacity: true)
            try table.forEachLeaf(from: position, keepsLeaves: false) {
                leaf, first throws(StorageError) in
                for row in 0..<leaf.rowCount
                where try isWanted(RowLocation(leaf: leaf, row: row)) {
                    keys.append(leaf.objectKey(row))
                }
                position = first + leaf.rowCount
                self.progress?(table.stored.name, position, count)
                return keys.count < Self.batch
            }
            for key in keys { try body(key) }
        }
    }

    // MARK: Collections

    /// Moves the elements of collections to a column in which they may be null, or may not. Null
    /// becomes zero there.
    func convertElements(_ old: UInt16, to new: UInt16, of table: Table) throws(StorageError) {
        guard let source = table.stored.position(ofID: old),
            let target = table.stored.position(ofID: new),
            let definition = table.stored.columns[target].definition
        else { return }
        let kind = definition.collection
        let zero = definition.type.defaultScalar(isOptional: definition.isOptional)
        try forEachKey(of: table) { location throws(StorageError) in
            if case .bytes(let bytes) = try table.value(source, at: location) {
                return !bytes.isEmpty
            }
            return false
        } then: { key throws(StorageError) in
            let before = table.collection(source, of: key, kind: kind)
            let after = table.collection(target, of: key, kind: kind)
            for index in 0..<(try before.stored().count()) {
                let row = try before.stored().row(at: index)
                try Self.copy(row, to: after, insteadOfNull: zero)
            }
            try before.removeAll()
        }
    }

    /// Adds an element of a collection to another one. Its bytes are copied, because the other may
    /// be in the same row.
    private static func copy(
        _ row: CollectionRow, to target: CollectionHandle, insteadOfNull zero: Scalar
    ) throws(StorageError) {
        try Array(row.key).withBytes { key throws(StorageError) in
            guard case .bytes(let bytes) = row.value else {
                return try add(row.value.isNull ? zero : row.value, key: key, to: target)
            }
            try Array(bytes).withBytes { bytes throws(StorageError) in
                try add(.bytes(bytes), key: key, to: target)
            }
        }
    }

    private static func add(
        _ value: Scalar, key: UnsafeRawBufferPointer, to target: CollectionHandle
    ) throws(StorageError) {
        switch target.format.collection {
        case .list: try ListHandle(collection: target).append(value)
        case .set: _ = try SetHandle(collection: target).insert(value)
        case .map: try MapHandle(collection: target).set(value, forKey: key)
        case .none: break
        }
    }

    // MARK: Embedded objects

    /// Empties a column of links or embedded objects: the latter are deleted.
    func empty(_ column: Int, of table: Table) throws(StorageError) {
        let kind = table.checks[column].format.collection
        try forEachKey(of: table) { location throws(StorageError) in
            let value = try table.value(column, at: location)
            if case .bytes(let bytes) = value { return !bytes.isEmpty }
            return !value.isNull
        } then: { key throws(StorageError) in
            if kind == .none {
                try table.set(column, of: key, to: .null)
            } else {
                try table.collection(column, of: key, kind: kind).removeAll()
            }
        }
    }

    /// Makes the objects of a table embedded ones. Each must have exactly one reference, from a
    /// property that may own it. Removed properties own nothing.
    func embed(_ table: Table) throws(StorageError) {
        let name = table.stored.name
        for position in table.propertyCount..<table.stored.columns.count {
            guard let backlinks = table.stored.columns[position].backlinks else { continue }
            let origin = connection.table(backlinks.originTable)
            let column = origin.stored.columns[backlinks.originColumn]
            if column.isRemoved {
                try empty(backlinks.originColumn, of: origin)
            } else if let definition = column.definition, definition.collection == .set,
                definition.type == .link
            {
                throw StorageError(
                    .migrationFailed, path: connection.database.path,
                    message: "Cannot convert '\(name)' to embedded: set property "
                        + "'\(origin.stored.name).\(definition.name)' cannot contain embedded "
                        + "objects.")
            }
        }
        try forEachKey(of: table) { location throws(StorageError) in
            let owners = try self.owners(of: table.key(at: location), in: table)
            if owners == 1 { return false }
            throw StorageError(
                .migrationFailed, path: self.connection.database.path,
                message: "Cannot convert '\(name)' to embedded: at least one object has "
                    + (owners == 0
                        ? "no incoming links and would be deleted."
                        : "more than one incoming link."))
        } then: { _ in
        }
        let index = table.number
        try change { $0.setEmbedded(true, index) }
    }

    /// The number of references to an object; two or more if one is from what owns no objects.
    private func owners(of key: ObjectKey, in table: Table) throws(StorageError) -> Int {
        var owners = 0
        for position in table.propertyCount..<table.stored.columns.count {
            guard let backlinks = table.stored.columns[position].backlinks else { continue }
            let origin = connection.table(backlinks.originTable).stored
            let definition = origin.columns[backlinks.originColumn].definition
            let mayOwn = definition?.type == .link && definition?.collection != .set
            for (_, count) in try Backlinks.origins(position, key, in: table) {
                owners += mayOwn ? count : 2
            }
        }
        return owners
    }

    // MARK: Primary keys

    /// Adds the primary key of a definition, if its table does not have it.
    func addKey(_ definition: TableDefinition) throws(StorageError) {
        guard let name = definition.columns.first(where: \.isPrimaryKey)?.name,
            let old = try connection.table(named: definition.name),
            old.primaryKeyColumn == nil, let column = old.stored.position(of: name)
        else { return }
        if old.index(of: column) != nil { try connection.setIndexed(false, column, of: old) }
        let index = old.number
        try change { $0.addPrimaryKey(column, ofTable: index) }
        let table = connection.table(index)
        try PrimaryKeyMap.build(in: table, progress) { value throws(StorageError) in
            throw self.duplicate(value, column, in: table)
        }
    }

    func duplicate(_ value: Scalar, _ column: Int, in table: Table) -> StorageError {
        let definition = table.stored.columns[column].definition
        return StorageError(
            .migrationFailed, path: connection.database.path,
            message: "Primary key property '\(table.stored.name).\(definition?.name ?? "")' has "
                + "duplicate values after migration: \(text(of: value, definition?.type)).")
    }

    private func text(of value: Scalar, _ type: ValueType?) -> String {
        switch value {
        case .null: return "nil"
        case .integer(let number): return "\(number)"
        case .bytes(let bytes):
            return type == .string
                ? "'\(String(decoding: bytes, as: UTF8.self))'" : Self.digits(of: bytes)
        case .fixed16(let low, let high):
            var digits = Self.digits(of: low) + Self.digits(of: high)
            for position in [20, 16, 12, 8] {
                digits.insert("-", at: digits.index(digits.startIndex, offsetBy: position))
            }
            return digits.uppercased()
        case .fixed12(let low, let high): return Self.digits(of: low) + Self.digits(of: high)
        case .float(let number): return "\(number)"
        case .double(let number): return "\(number)"
        }
    }

    private static func digits(of number: some FixedWidthInteger) -> String {
        withUnsafeBytes(of: number, digits(of:))
    }

    private static func digits(of bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension PrimaryKeyMap {
    /// The bytes of entries after which a batch is sorted and added.
    private static let batchBytes = 16 << 20

    /// Enters the primary keys of all objects into an empty map, in batches that are sorted, and
    /// calls `report` with a value that two objects have.
    static func build(
        in table: Table, _ progress: ((String, Int, Int) -> Void)?,
        _ report: (Scalar) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let column = table.primaryKeyColumn else { return }
        let map = table.primaryKeys.map
        var changes = MapChanges(firstKeyKind: map.firstKeyKind)
        var position = 0
        let count = try table.count()
        while position < count {
            try table.forEachLeaf(from: position, keepsLeaves: false) {
                leaf, first throws(StorageError) in
                for row in 0..<leaf.rowCount {
                    let value = try table.value(column, at: RowLocation(leaf: leaf, row: row))
                    let key = leaf.objectKey(row)
                    if value.isNull {
                        if try table.primaryKeys.objectOfNull() != nil { try report(value) }
                        try enter(value, of: key, in: table)
                        continue
                    }
                    try OrderedMap.withFirstKey(of: value, table.pager) { first, _ in
                        changes.append(first, key.rawValue, isRemoval: false)
                    }
                }
                position = first + leaf.rowCount
                progress?(table.stored.name, position, count)
                return changes.byteCount < batchBytes
            }
            let state = try table.primaryKeys.state
            state.pointee.isDirty = true
            try map.make(
                &changes, table.primaryKeys.writer, in: &state.pointee.root,
                treeID: table.primaryKeys.treeID, limitingMemory: true)
            changes.removeAll()
        }
        try findDuplicate(in: table, report)
    }

    private static func findDuplicate(
        in table: Table, _ report: (Scalar) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let column = table.primaryKeyColumn, try hasEqualNeighbours(in: table) else {
            return
        }
        // Long keys that begin alike are equal in the map, too.
        var previous: ObjectKey?
        try table.primaryKeys.order(in: table).forEachKey(from: 0) { key throws(StorageError) in
            if let previous {
                let value = try table.value(column, of: key)
                if value.isIdentical(to: try table.value(column, of: previous)) {
                    try report(value)
                }
            }
            previous = key
            return true
        }
    }

    /// Whether two entries have the same key in the map. Reads no object.
    private static func hasEqualNeighbours(in table: Table) throws(StorageError) -> Bool {
        let map = table.primaryKeys.map
        var previous: (leaf: Node, row: Int)?
        var isFound = false
        try map.forEach(table.pager, table.primaryKeys.state.pointee.root, fromPosition: 0) {
            leaf, row throws(StorageError) in
            if let previous {
                isFound = try map.withFirstKey(previous.leaf, previous.row) {
                    map.isFirstEqual(leaf, 0, at: row, to: $0)
                }
            }
            previous = (leaf, row)
            return !isFound
        }
        return isFound
    }
}
