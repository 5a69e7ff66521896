/// The objects of one class, as one connection sees them.
///
/// Columns are addressed by their position in `definition.columns`. Used by the connection's
/// thread. Reading outside a pinned version, or with a position out of range, is a programming
/// error.
public final class Table {
    // Safe because a connection owns its tables, and users of a table hold the connection. A
    // checked reference would cost two atomic operations at each use.
    public unowned(unsafe) let connection: Connection
    // The same as `connection`, for uses that must not count a reference.
    let uncountedConnection: Unmanaged<Connection>
    let index: Int
    let isEmbedded: Bool
    @exclusivity(unchecked) private(set) var stored: StoredTable
    @exclusivity(unchecked) private(set) var cluster: ClusterTree
    let pager: Pager
    let forest: Forest
    let primaryKeyTreeID: UInt32
    let clusterWriter: TreeWriter
    /// Appends objects. Its path stays at the last leaf while older objects are changed and
    /// deleted.
    let appendWriter: TreeWriter
    /// Writes trees that contain no objects, so that its moves invalidate no `RowLocation`.
    let quietWriter: TreeWriter
    private let quietMoves: UnsafeMutablePointer<UInt64>
    let primaryKeyWriter: TreeWriter
    /// For each property with links to one table: the number of that table and the position of its
    /// backlink column. Raw memory, because setting or removing a link always reads it.
    let backlinkColumns: UnsafeMutablePointer<(table: Int, column: Int)?>
    /// Records the changes of the open write transaction; nil unless the database is observed.
    @exclusivity(unchecked) private(set) var recorder: ChangeRecorder?
    /// What changes need to know of each property.
    let checks: UnsafeMutablePointer<ColumnCheck>
    let scratch: UnsafeMutablePointer<ClusterTree.StoredValue>
    /// The references of overflow values for one insert, kept until the row is written: three words
    /// per column.
    let images: UnsafeMutablePointer<UInt64>
    /// Copies of short strings and data, one slot per column, because a value to be stored may lie
    /// in the very leaf that it is written to.
    let copies: UnsafeMutableRawPointer
    let propertyCount: Int

    init(_ connection: Connection, _ schema: StoredSchema, _ index: Int) {
        self.connection = connection
        uncountedConnection = .passUnretained(connection)
        self.index = index
        stored = schema.tables[index]
        isEmbedded = stored.isEmbedded
        pager = connection.pager
        forest = connection.forest
        primaryKeyTreeID = stored.primaryKeyTreeID
        cluster = ClusterTree(
            treeID: stored.clusterTreeID, columns: UnsafeBufferPointer(start: nil, count: 0))
        clusterWriter = TreeWriter(
            pager: pager, layoutStamp: connection.layoutStamp, pathStamp: connection.pathStamp)
        appendWriter = TreeWriter(
            pager: pager, layoutStamp: connection.layoutStamp, pathStamp: connection.pathStamp)
        quietMoves = .allocate(capacity: 2)
        quietMoves.initialize(repeating: 0, count: 2)
        quietWriter = TreeWriter(pager: pager, layoutStamp: quietMoves)
        primaryKeyWriter = TreeWriter(pager: pager, layoutStamp: quietMoves + 1)
        // Properties are fixed when a table is created; only backlink columns are added later.
        propertyCount = stored.propertyCount
        backlinkColumns = .allocate(capacity: propertyCount)
        checks = .allocate(capacity: propertyCount)
        scratch = .allocate(capacity: propertyCount)
        images = .allocate(capacity: max(1, propertyCount * 3))
        copies = .allocate(
            byteCount: max(1, propertyCount) * pager.maximumInlineBytes, alignment: 16)
        for column in 0..<propertyCount {
            checks[column] = ColumnCheck(stored.columns[column].definition!)
        }
        adopt(schema, index)
    }

    deinit {
        quietMoves.deallocate()
        scratch.deallocate()
        cluster.columns.deallocate()
        backlinkColumns.deallocate()
        checks.deallocate()
        images.deallocate()
        copies.deallocate()
    }

    func record(with recorder: ChangeRecorder?) {
        self.recorder = recorder
        for column in 0..<propertyCount {
            checks[column].setRecorded(recorder != nil)
        }
    }

    /// Adopts a changed schema: other tables may have added backlink columns, and indexes may have
    /// been added or removed.
    func adopt(_ schema: StoredSchema, _ index: Int) {
        stored = schema.tables[index]
        cluster.columns.deallocate()
        let columns = UnsafeMutableBufferPointer<ClusterTree.Column>.allocate(
            capacity: stored.columns.count)
        _ = columns.initialize(from: stored.columns.map(\.clusterColumn))
        cluster.columns = UnsafeBufferPointer(columns)
        definition = stored.definition
        for column in 0..<propertyCount {
            let hasFixedTarget = stored.columns[column].definition!.type.hasFixedTarget
            (backlinkColumns + column).initialize(
                to: hasFixedTarget ? schema.backlinkColumn(ofTable: index, column: column) : nil)
        }
        hasLinks = stored.columns.contains { $0.definition?.type.mayRefer == true }
        adoptIndexes()
        primaryKeyColumn = stored.primaryKeyColumn
        if let primaryKeyColumn {
            primaryKeyMap = OrderedMap(
                firstKeyKind: stored.columns[primaryKeyColumn].kind == .integer ? .integer : .bytes,
                valueCount: 0)
        }
    }

    /// Indexes that remain keep their collected changes.
    private func adoptIndexes() {
        let old = indexes
        indexes = []
        for column in 0..<propertyCount {
            let trees = stored.columns[column].index
            checks[column].setIndexed(trees != nil)
            guard let trees else { continue }
            let known = old.first { $0.column == column && $0.trees == trees }
            indexes.append(known ?? ColumnIndex(self, column, trees))
        }
    }

    @exclusivity(unchecked)
    public private(set) var definition = TableDefinition(name: "", columns: [])
    @exclusivity(unchecked) private(set) var hasLinks = false
    @exclusivity(unchecked) private(set) var indexes: [ColumnIndex] = []
    @exclusivity(unchecked) private(set) var primaryKeyColumn: Int?
    /// The form in which the primary key's map stores keys.
    @exclusivity(unchecked) private(set) var primaryKeyMap = OrderedMap(
        firstKeyKind: .integer, valueCount: 0)

    /// Identifies the table within its file, for typed links and mixed values; never reused.
    public var number: Int { index }

    // MARK: Roots

    @inline(__always)
    var state: UnsafeMutablePointer<Forest.State> {
        get throws { try forest.state(cluster.treeID) }
    }

    @inline(__always)
    var root: TreeRoot {
        get throws { try state.pointee.root }
    }

    // MARK: Finding

    public func count() throws -> Int { try root.count }

    public func contains(_ key: ObjectKey) throws -> Bool { try location(of: key) != nil }

    /// The present location of an object's row; nil if the object does not exist.
    public func location(of key: ObjectKey) throws -> RowLocation? {
        // During changes, an object is mostly looked up right after it was inserted, or after the
        // one before it, so the paths of the writers are tried first.
        if mayHaveAppended(key), let row = appendWriter.row(of: key) {
            return RowLocation(leaf: appendWriter.leaf.reading, row: row)
        }
        if clusterWriter.hasPath(to: cluster.treeID) {
            if let row = clusterWriter.row(of: key) {
                return RowLocation(leaf: clusterWriter.leaf.reading, row: row)
            }
        }
        return try ClusterTree.location(pager, try root, of: key)
    }

    /// Whether the path of the append writer ends at a leaf that may contain this object.
    @inline(__always)
    func mayHaveAppended(_ key: ObjectKey) -> Bool {
        appendWriter.hasPath(to: cluster.treeID)
            && appendWriter.leaf.reading.lowKey <= key.rawValue
    }

    /// The row of an object if it lies in this leaf of its table.
    @inline(__always)
    public static func row(of key: ObjectKey, in leaf: Node) -> Int? { leaf.row(of: key) }

    /// The row at a position in key order. O(log n).
    public func location(at position: Int) throws -> RowLocation {
        let root = try root
        precondition(position >= 0 && position < root.count, "position out of range")
        return try ClusterTree.location(pager, root, at: position)
    }

    public func key(at position: Int) throws -> ObjectKey {
        let location = try location(at: position)
        return location.leaf.objectKey(location.row)
    }

    public func key(at location: RowLocation) -> ObjectKey { location.leaf.objectKey(location.row) }

    /// The number of objects before this one in key order; nil if it does not exist. O(log n).
    public func position(of key: ObjectKey) throws -> Int? {
        try ClusterTree.position(pager, try root, of: key)
    }

    /// Visits leaves in key order, until `body` returns false. Columns that do not fit a leaf are
    /// read with `column(_:of:)`. For `keepsLeaves`, see ``LeafScan``.
    public func forEachLeaf(
        from position: Int = 0, keepsLeaves: Bool = true,
        _ body: (_ leaf: Node, _ firstPosition: Int) throws -> Bool
    ) throws {
        var scan = try LeafScan(self, from: position, keepsLeaves: keepsLeaves)
        while try scan.next() {
            if try !body(scan.leaf, scan.firstPosition) { return }
        }
    }

    /// The node that holds a column of a leaf, and the column's position in it: the leaf itself, or
    /// the node of a spilled column. Nil if the leaf is older than the column, so that all its rows
    /// have the default.
    public func column(_ column: Int, of leaf: Node) throws -> (node: Node, column: Int)? {
        try cluster.place(of: column, in: leaf, pager, try root)
    }

    /// The id of a column in the file.
    public func columnID(_ column: Int) -> UInt16 { stored.columns[column].id }

    /// How a node describes the column if it stores it, for ``Node/hasInline(_:_:)``.
    public func columnTag(_ column: Int) -> ColumnTag { cluster.columns[column].tag }

    // MARK: Reading

    public func value(_ column: Int, of key: ObjectKey) throws -> Scalar {
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        return try value(column, at: location)
    }

    public func value(_ column: Int, at location: RowLocation) throws -> Scalar {
        let leaf = location.leaf
        if leaf.hasInline(column, cluster.columns[column].tag) {
            let kind = cluster.columns[column].format.kind
            return try leaf.scalar(pager, kind, column, location.row)
        }
        guard let (node, position) = try self.column(column, of: leaf) else {
            return cluster.columns[column].defaultScalar
        }
        let kind = cluster.columns[column].format.kind
        return try node.scalar(pager, kind, position, location.row)
    }
}
