/// Where the bytes of a table are.
public struct TableStorage: Sendable, Equatable {
    /// The bytes of each property, in the order of the definition: its values in leaves, and the
    /// pages of its own that hold spilled columns, long values and long collections.
    public internal(set) var columns: [UInt64]
    /// The bytes of each property's index; 0 without one.
    public internal(set) var indexes: [UInt64]
    /// The bytes of the order of primary keys.
    public internal(set) var primaryKeys: UInt64 = 0
    /// The bytes that say which objects link to those of the table.
    public internal(set) var backlinks: UInt64 = 0
    /// The bytes of headers and branches, and the room in leaves.
    public internal(set) var structure: UInt64 = 0

    init(columnCount: Int) {
        columns = Array(repeating: 0, count: columnCount)
        indexes = columns
    }

    public var total: UInt64 {
        columns.reduce(0, +) + indexes.reduce(0, +) + primaryKeys + backlinks + structure
    }
}

extension Connection {
    /// Measures a table: reads all its leaves, and the collections that have pages of their own.
    ///
    /// - Throws: `.damaged`.
    public func storage(of table: Table) throws(StorageError) -> TableStorage {
        var survey = try StorageSurvey(table)
        try survey.run()
        return survey.result
    }
}

/// A walk over the trees of a table that adds up their pages.
private struct StorageSurvey {
    private let table: Table
    private let pager: Pager
    private let pageSize: UInt64
    /// The pages that trees may still have. In a malicious file, a page may be reached repeatedly.
    private var remainingPages: UInt64
    private(set) var result: TableStorage

    init(_ table: Table) throws(StorageError) {
        self.table = table
        pager = table.pager
        pageSize = UInt64(pager.pageSize)
        remainingPages = try table.connection.database.fileSize / pageSize
        result = TableStorage(columnCount: table.propertyCount)
    }

    mutating func run() throws(StorageError) {
        try table.connection.removeDeletedRows()
        for (id, role) in table.stored.trees {
            let root = try table.forest.state(id).pointee.root
            switch role {
            case .objects: try addObjects(root)
            case .primaryKeys: result.primaryKeys += try size(of: root, role)
            case .indexValues(let column), .indexNulls(let column):
                result.indexes[column] += try size(of: root, role)
            case .backlinks: result.backlinks += try size(of: root, role)
            }
        }
    }

    // MARK: Trees

    private mutating func size(
        of root: TreeRoot, _ role: TreeRole
    ) throws(StorageError) -> UInt64 {
        guard let format = table.map(of: role)?.map.format else { return 0 }
        return try branches(of: root, format)
            + forEachLeaf(of: root, format) { _, _ throws(StorageError) in }
    }

    /// The bytes of the leaves of a tree. Memory does not grow with it.
    private mutating func forEachLeaf(
        of root: TreeRoot, _ format: TreeFormat,
        _ body: (inout StorageSurvey, Node) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if root.reference.isNone { return 0 }
        let first = pager.passingRunCount
        var cursor = try LeafCursor(pager, root, format: format)
        var bytes: UInt64 = 0
        while true {
            let end = pager.passingRunCount
            let isThere = try cursor.next()
            pager.releasePassingRuns(from: first, to: end, but: isThere ? cursor.leaf : nil)
            guard isThere else { return bytes }
            bytes += try take(cursor.leaf.pageCount)
            try body(&self, cursor.leaf)
        }
    }

    private mutating func branches(
        of root: TreeRoot, _ format: TreeFormat
    ) throws(StorageError) -> UInt64 {
        if root.reference.isNone || root.level == 0 { return 0 }
        return try branches(from: try pager.root(of: root, format), format)
    }

    private mutating func branches(
        from branch: Node, _ format: TreeFormat
    ) throws(StorageError) -> UInt64 {
        var bytes = try take(branch.pageCount)
        if branch.level == 1 { return bytes }
        for row in 0..<branch.rowCount {
            bytes += try branches(from: try pager.child(of: branch, row, shape: format), format)
        }
        return bytes
    }

    /// Counts pages as reached, and returns their bytes.
    private mutating func take(_ pages: Int) throws(StorageError) -> UInt64 {
        guard pages >= 0, UInt64(pages) <= remainingPages else {
            throw pager.damaged(0, "the trees of a table have more pages than the file")
        }
        remainingPages -= UInt64(pages)
        return UInt64(pages) * pageSize
    }

    // MARK: Objects

    private mutating func addObjects(_ root: TreeRoot) throws(StorageError) {
        result.structure += try branches(of: root, .cluster)
        var inLeaves: UInt64 = 0
        let all = try forEachLeaf(of: root, .cluster) { survey, leaf throws(StorageError) in
            for position in survey.table.stored.columns.indices {
                inLeaves += try survey.addColumn(position, of: leaf)
            }
        }
        result.structure += all - min(all, inLeaves)
    }

    /// Adds what a leaf has of a column. Returns the bytes that lie in the leaf itself.
    private mutating func addColumn(
        _ position: Int, of leaf: Node
    ) throws(StorageError) -> UInt64 {
        guard let (node, column) = try table.column(position, of: leaf) else { return 0 }
        var inLeaf: UInt64 = 0
        var elsewhere: UInt64 = 0
        if node.base == leaf.base {
            inLeaf = bytes(of: column, in: node)
        } else {
            elsewhere = try take(node.pageCount)
        }
        if node.kind(column) == .bytes {
            for row in 0..<node.rowCount where !node.isNull(column, row) {
                elsewhere += try bytesElsewhere(position, node, column: column, at: row)
            }
        }
        if position < table.propertyCount {
            result.columns[position] += inLeaf + elsewhere
        } else {
            result.backlinks += inLeaf + elsewhere
        }
        return inLeaf
    }

    private func bytes(of column: Int, in node: Node) -> UInt64 {
        let entry = node.entry(column)
        var bytes = entry.dataBytes(rows: node.rowCount)
        if node.kind(column) == .bytes { bytes += entry.heapUsed }
        if entry.nullOffset != 0 { bytes += ColumnEntry.nullBytes(rows: node.rowCount) }
        return UInt64(max(0, bytes))
    }

    /// The bytes of a long value, or of a collection that has outgrown its owner's row.
    private mutating func bytesElsewhere(
        _ position: Int, _ node: Node, column: Int, at row: Int
    ) throws(StorageError) -> UInt64 {
        if node.isOverflow(column, row) {
            return try take(pager.overflowPages(node.overflowReference(column, row).length))
        }
        guard position < table.propertyCount else { return 0 }
        let format = table.checks[position].format
        let bytes = node.bytes(column, row)
        if format.collection != .none {
            return try collectionBytes(
                StoredCollection(pager: pager, bytes: bytes, format: format), depth: 0)
        }
        guard format.type == .mixed else { return 0 }
        return try nestedBytes(.bytes(bytes), depth: 0)
    }

    private mutating func collectionBytes(
        _ collection: StoredCollection, depth: Int
    ) throws(StorageError) -> UInt64 {
        guard depth <= NestedCollection.maximumDepth else { throw tooDeep(pager) }
        var inValues: UInt64 = 0
        var inTree: UInt64 = 0
        if let root = collection.root {
            let format = collection.tree.format
            inTree = try branches(of: root, format)
            inTree += try forEachLeaf(of: root, format) { survey, leaf throws(StorageError) in
                for column in 0..<leaf.columnCount where leaf.kind(column) == .bytes {
                    for row in 0..<leaf.rowCount where leaf.isOverflow(column, row) {
                        let length = leaf.overflowReference(column, row).length
                        inValues += try survey.take(survey.pager.overflowPages(length))
                    }
                }
            }
        }
        guard collection.format.type == .mixed else { return inTree + inValues }
        try collection.forEachValue { value throws(StorageError) in
            inValues += try nestedBytes(value, depth: depth + 1)
            return true
        }
        return inTree + inValues
    }

    private mutating func nestedBytes(
        _ value: Scalar, depth: Int
    ) throws(StorageError) -> UInt64 {
        guard let nested = NestedCollection(value) else { return 0 }
        return try collectionBytes(
            StoredCollection(pager: pager, bytes: nested.rows, format: .nested(nested.kind)),
            depth: depth)
    }
}
