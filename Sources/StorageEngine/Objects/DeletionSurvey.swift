/// The parts of objects that a deletion has to remove, collected before anything changes.
struct DeletionSurvey {
    /// The keys of plain objects, ascending.
    private(set) var plain: ContiguousArray<ObjectKey> = []
    /// The keys of tied objects.
    private(set) var tied: [ObjectKey] = []
    /// The overflow values of plain objects.
    private(set) var overflows: [PageReference] = []
    /// The removals of the primary keys of plain objects, except null.
    var primaryKeys: MapChanges
    private(set) var removesNullKey = false

    private let table: Table
    private let keepsPlainKeys: Bool
    /// The columns that are empty in a plain object.
    private let tyingColumns: [Int]
    /// The columns whose values may be on overflow pages.
    private let longColumns: [Int]
    private var ties: [(node: Node, column: Int, isBacklink: Bool)] = []
    private var longValues: [(node: Node, column: Int)] = []
    private var keyColumn: (node: Node, column: Int)?

    /// - Parameter keepsPlainKeys: false if the trees of the table are dropped as a whole.
    init(_ table: Table, keepsPlainKeys: Bool = true) {
        self.table = table
        self.keepsPlainKeys = keepsPlainKeys
        let columns = table.stored.columns
        tyingColumns = columns.indices.filter {
            columns[$0].definition.map { !Self.isPlain($0) } ?? true
        }
        longColumns = columns.indices.filter {
            columns[$0].kind == .bytes && columns[$0].definition.map(Self.isPlain) ?? false
        }
        primaryKeys = MapChanges(firstKeyKind: table.primaryKeys.map.firstKeyKind)
    }

    /// Whether values of the column tie nothing. Lists the plain types, so that a type added later
    /// is not taken for plain by mistake.
    private static func isPlain(_ column: ColumnDefinition) -> Bool {
        column.collection == .none && !column.type.mayRefer
    }

    /// Surveys the objects with these keys, which must ascend. Repeated keys count once.
    mutating func visit(_ keys: UnsafeBufferPointer<ObjectKey>) throws(StorageError) {
        let (pager, root) = (table.pager, try table.root)
        var next = 0
        while next < keys.count {
            guard let leaf = try ClusterTree.leaf(pager, root, covering: keys[next]) else { return }
            try enter(leaf)
            let lastKey =
                leaf.rowCount == 0 ? keys[next] : leaf.objectKey(leaf.rowCount - 1)
            var row = 0
            repeat {
                if next > 0, keys[next] == keys[next - 1] {
                    // A repeated key.
                } else if let found = leaf.row(of: keys[next], from: row) {
                    try visit(leaf, found, of: keys[next])
                    row = found + 1
                }
                next += 1
            } while next < keys.count && keys[next].rawValue <= lastKey.rawValue
        }
    }

    mutating func visitAll() throws(StorageError) {
        if tyingColumns.isEmpty, longColumns.isEmpty { return }
        try table.forEachLeaf { leaf, _ throws(StorageError) in
            try enter(leaf)
            for row in 0..<leaf.rowCount { try visit(leaf, row, of: leaf.objectKey(row)) }
            return true
        }
    }

    /// Finds the columns of a leaf. Columns that the leaf lacks have defaults, which tie nothing.
    private mutating func enter(_ leaf: Node) throws(StorageError) {
        ties.removeAll(keepingCapacity: true)
        longValues.removeAll(keepingCapacity: true)
        for column in tyingColumns {
            guard let (node, position) = try table.column(column, of: leaf) else { continue }
            ties.append((node, position, table.stored.columns[column].backlinks != nil))
        }
        for column in longColumns {
            if let place = try table.column(column, of: leaf) { longValues.append(place) }
        }
        if keepsPlainKeys, let column = table.primaryKeyColumn {
            keyColumn = try table.column(column, of: leaf)
        }
    }

    @inline(__always)
    private mutating func visit(_ leaf: Node, _ row: Int, of key: ObjectKey) throws(StorageError) {
        for tie in ties where Self.ties(tie.node, tie.column, row: row, isBacklink: tie.isBacklink)
        {
            return tied.append(key)
        }
        for (node, column) in longValues where node.isOverflow(column, row) {
            overflows.append(node.overflowReference(column, row).0)
        }
        guard keepsPlainKeys else { return }
        plain.append(key)
        if let column = table.primaryKeyColumn {
            try notePrimaryKey(column, leaf, row: row, of: key)
        }
    }

    /// Whether a value ties its object: a link, a referrer, or a collection that is not empty.
    @inline(__always)
    private static func ties(_ node: Node, _ column: Int, row: Int, isBacklink: Bool) -> Bool {
        if isBacklink { return node.integer(column, row) != 0 }
        if node.isNull(column, row) { return false }
        return node.kind(column) != .bytes || !node.bytes(column, row).isEmpty
    }

    @inline(__always)
    private mutating func notePrimaryKey(
        _ column: Int, _ leaf: Node, row: Int, of key: ObjectKey
    ) throws(StorageError) {
        if let (node, position) = keyColumn, node.kind(position) == .integer,
            !node.isNull(position, row)
        {
            let first = OrderedMap.FirstKey.integer(node.integer(position, row))
            return primaryKeys.append(first, key.rawValue, isRemoval: true)
        }
        let value = try table.value(column, at: RowLocation(leaf: leaf, row: row))
        if value.isNull {
            removesNullKey = true
        } else {
            try OrderedMap.withFirstKey(of: value, table.pager) { first, _ in
                primaryKeys.append(first, key.rawValue, isRemoval: true)
            }
        }
    }
}
