/// Copies the collections of one object into another database, where they get pages of their own.
struct CollectionCopy {
    /// The table of the copy.
    let table: Table
    let key: ObjectKey
    /// Where the old collections are.
    let source: Pager
    /// A measure of what was copied to trees.
    private(set) var byteCount = 0

    init(table: Table, key: ObjectKey, source: Pager) {
        self.table = table
        self.key = key
        self.source = source
    }

    /// What the copy's row holds of a collection, or of a mixed value with one; nil if the value is
    /// copied as it is.
    mutating func image(of value: Scalar, _ column: Int) throws -> [UInt8]? {
        let check = table.checks[column]
        guard check.isCollection else { return try nestedImage(of: value, column, depth: 0) }
        guard case .bytes(let bytes) = value else { return nil }
        let old = StoredCollection(pager: source, bytes: bytes, format: check.format)
        return try copyRows(old, column, depth: 0)
    }

    private mutating func nestedImage(of value: Scalar, _ column: Int, depth: Int) throws
        -> [UInt8]?
    {
        guard table.checks[column].format.type == .mixed, let nested = NestedCollection(value)
        else {
            return nil
        }
        guard depth < NestedCollection.maximumDepth else { throw tooDeep(source) }
        let old = StoredCollection(
            pager: source, bytes: nested.rows, format: .nested(nested.kind))
        // A new identity, because versions start anew in the copy: an old one might be given again.
        return NestedCollection.image(
            nested.kind, table.connection.makeCollectionIdentity(), try copyRows(old, column, depth: depth + 1))
    }

    private mutating func copyRows(_ old: StoredCollection, _ column: Int, depth: Int) throws
        -> [UInt8]
    {
        if old.root == nil, old.format.type != .mixed { return Array(old.bytes) }
        let new = CollectionHandle(
            table: table, column: column, owner: key, format: old.format, path: [])
        var root = TreeRoot.empty
        var inline = old.bytes.isEmpty ? [] : [InlineRows.inlineTag]
        func add(_ row: CollectionRow) throws {
            if old.root == nil { return InlineRows.append(row, old.format, to: &inline) }
            try new.append(row, to: &root)
        }
        // swift-format-ignore: ReplaceForEachWithForLoop
        try old.forEach { row in
            byteCount += row.byteCount
            if let image = try nestedImage(of: row.value, column, depth: depth) {
                try image.withUnsafeBytes {
                    try add(CollectionRow(key: row.key, value: .bytes($0)))
                }
            } else {
                try add(row)
            }
            return true
        }
        return old.root == nil ? inline : InlineRows.image(of: root)
    }
}

extension CollectionRow {
    /// A measure of the room that the row takes.
    fileprivate var byteCount: Int {
        guard case .bytes(let bytes) = value else { return 8 + key.count }
        return 8 + key.count + bytes.count
    }
}
