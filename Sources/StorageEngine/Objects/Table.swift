/// The objects of one class, as one connection sees them.
///
/// Columns are addressed by their position in `definition.columns`. Used by the connection's
/// thread. Reading outside a pinned version, or with a position out of range, is a programming
/// error.
public final class Table {
    // Safe because a connection owns its tables, and users of a table hold the connection. A
    // checked reference would cost two atomic operations at each use.
    public unowned(unsafe) let connection: Connection
    let index: Int
    let isEmbedded: Bool
    @exclusivity(unchecked) private(set) var stored: StoredTable
    @exclusivity(unchecked)
    public private(set) var definition = TableDefinition(name: "", columns: [])
    @exclusivity(unchecked) private(set) var hasLinks = false
    /// The number of properties, removed ones included.
    let propertyCount: Int
    /// The number of properties that were not removed, which come first.
    let visibleCount: Int
    /// The position of the primary key among the properties; nil if there is none.
    let primaryKeyColumn: Int?
    /// What changes need to know of each property.
    let checks: OwnedBuffer<ColumnCheck>
    @exclusivity(unchecked) private(set) var cluster: ClusterTree
    /// The columns of `cluster`.
    @exclusivity(unchecked) private var columns: OwnedBuffer<ClusterTree.Column>
    let pager: Pager
    let forest: Forest
    /// Records the changes of the open write transaction; nil unless the database is observed.
    @exclusivity(unchecked) private(set) var recorder: ChangeRecorder?

    // MARK: Parts

    let rows: RowWriter
    let primaryKeys: PrimaryKeyMap
    let backlinks: Backlinks
    @exclusivity(unchecked) private(set) var indexes = Indexes()
    /// The rows of deleted objects that are still in the tree; see `Table+Deletion`.
    @exclusivity(unchecked) var deletedRows = DeletedRows()
    /// Writes trees that contain no objects, so that its moves invalidate no `RowLocation`: those
    /// of backlinks and indexes.
    let quietWriter: TreeWriter
    /// The writers of the trees of collections.
    let collectionWriters: CollectionWriters
    /// The stamps of `quietWriter`, which `collectionWriters` share, and of the primary keys'
    /// writer.
    private let quietMoves = OwnedBuffer<UInt64>(count: 2) { _ in 0 }

    init(_ connection: Connection, _ schema: StoredSchema, at index: Int) {
        let stored = schema.tables[index]
        self.connection = connection
        self.index = index
        self.stored = stored
        isEmbedded = stored.isEmbedded
        pager = connection.pager
        forest = connection.forest
        // Properties are fixed when a table is created; only backlink columns are added later. A
        // migration that changes them makes another instance (`fits`).
        propertyCount = stored.propertyCount
        visibleCount = stored.visibleCount
        primaryKeyColumn = stored.primaryKeyColumn
        checks = OwnedBuffer(count: propertyCount) { ColumnCheck(stored.columns[$0].definition!) }
        columns = OwnedBuffer(count: 0) { stored.columns[$0].clusterColumn }
        cluster = ClusterTree(
            treeID: stored.clusterTreeID, columns: UnsafeBufferPointer(start: nil, count: 0))
        rows = RowWriter(
            stored, in: forest, layoutStamp: connection.layoutStamp,
            pathStamp: connection.pathStamp)
        primaryKeys = PrimaryKeyMap(stored, in: forest, layoutStamp: quietMoves.start + 1)
        quietWriter = TreeWriter(pager: pager, layoutStamp: quietMoves.start)
        collectionWriters = CollectionWriters(pager: pager, moves: quietMoves.start)
        backlinks = Backlinks(index, properties: propertyCount, in: connection, by: quietWriter)
        adopt(schema, index)
    }

    /// Whether this instance can adopt another state of its table: whether that has the same
    /// properties at the same positions, and the same trees.
    func fits(_ other: StoredTable) -> Bool {
        stored.isEmbedded == other.isEmbedded && stored.clusterTreeID == other.clusterTreeID
            && stored.primaryKeyTreeID == other.primaryKeyTreeID
            && visibleCount == other.visibleCount && propertyCount == other.propertyCount
            && zip(stored.columns, other.columns).prefix(propertyCount).allSatisfy {
                $0.isStored(like: $1)
            }
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
        let stored = schema.tables[index]
        self.stored = stored
        columns = OwnedBuffer(count: stored.columns.count) { stored.columns[$0].clusterColumn }
        cluster.columns = UnsafeBufferPointer(start: columns.start, count: stored.columns.count)
        definition = stored.definition
        hasLinks = stored.columns.contains { $0.definition?.type.mayRefer == true }
        for column in 0..<propertyCount {
            checks[column].setIndexed(stored.columns[column].index != nil)
        }
        backlinks.adopt(schema)
        indexes.adopt(stored.columns, of: self)
    }

    /// Identifies the table within its file, for typed links and mixed values; never reused.
    public var number: Int { index }

    /// The index of a property; nil if it has none. A primary key has a map of its own: see `find`
    /// and `forEachInPrimaryKeyOrder`.
    public func index(of column: Int) -> ColumnIndex? {
        // An index that the failed transaction created is not in the version that reads see now.
        connection.schemaIsAbandoned ? nil : indexes.index(of: column)
    }

    // MARK: Roots

    @inline(__always)
    var state: UnsafeMutablePointer<Forest.State> {
        get throws(StorageError) { try forest.state(cluster.treeID) }
    }

    /// The root of the tree of objects, without rows of deleted objects in it. Removes those that
    /// wait, which moves rows in their leaves; so nothing that holds a `RowLocation` or bytes of a
    /// row may read it, except when it knows that none waits: after a first read of it and before
    /// the next change.
    @inline(__always)
    var root: TreeRoot {
        get throws(StorageError) {
            try connection.removeDeletedRows()
            return try state.pointee.root
        }
    }

    // MARK: Finding

    public func count() throws(StorageError) -> Int {
        try state.pointee.root.count - deletedRows.count
    }

    public func contains(_ key: ObjectKey) throws(StorageError) -> Bool {
        try location(of: key) != nil
    }

    /// The present location of an object's row; nil if the object does not exist.
    public func location(of key: ObjectKey) throws(StorageError) -> RowLocation? {
        if hasDeletedRows, deletedRows.contains(key) { return nil }
        // During changes, an object is mostly looked up right after it was inserted, or after the
        // one before it, so the paths of the writers are tried first.
        if let location = rows.appended(key) ?? rows.changed(key) { return location }
        return try ClusterTree.location(pager, try rootWithDeletedRows, of: key)
    }

    /// The row of an object if it lies in this leaf of the table.
    @inline(__always)
    public func row(of key: ObjectKey, in leaf: Node) -> Int? {
        hasDeletedRows && deletedRows.contains(key) ? nil : leaf.row(of: key)
    }

    /// The row of an object if it lies in a leaf that has had no rows of deleted objects since it
    /// was found; see ``hasDeletedRows``.
    @inline(__always)
    public static func row(of key: ObjectKey, inCurrent leaf: Node) -> Int? { leaf.row(of: key) }

    /// Whether leaves have rows of deleted objects at the moment. A deletion changes the
    /// connection's `layoutStamp`, so a leaf found while this is false has none as long as that
    /// stays the same.
    @inline(__always)
    public var hasDeletedRows: Bool { !deletedRows.isEmpty }

    /// The row at a position in key order. O(log n).
    public func location(at position: Int) throws(StorageError) -> RowLocation {
        let root = try root
        precondition(position >= 0 && position < root.count, "position out of range")
        return try ClusterTree.location(pager, root, at: position)
    }

    public func key(at position: Int) throws(StorageError) -> ObjectKey {
        let location = try location(at: position)
        return location.leaf.objectKey(location.row)
    }

    public func key(at location: RowLocation) -> ObjectKey { location.leaf.objectKey(location.row) }

    /// The number of objects before this one in key order; nil if it does not exist. O(log n).
    public func position(of key: ObjectKey) throws(StorageError) -> Int? {
        try ClusterTree.position(pager, try root, of: key)
    }

    /// Visits leaves in key order, until `body` returns false. Columns that do not fit a leaf are
    /// read with `column(_:of:)`. For `keepsLeaves`, see ``LeafScan``.
    public func forEachLeaf(
        from position: Int = 0, keepsLeaves: Bool = true,
        _ body: (_ leaf: Node, _ firstPosition: Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var scan = try LeafScan(self, from: position, keepsLeaves: keepsLeaves)
        while try scan.next() {
            if try !body(scan.leaf, scan.firstPosition) { return }
        }
    }

    /// The node that holds a column of a leaf, and the column's position in it: the leaf itself, or
    /// the node of a spilled column. Nil if the leaf is older than the column, so that all its rows
    /// have the default.
    public func column(_ column: Int, of leaf: Node) throws(StorageError) -> (
        node: Node, column: Int
    )? {
        try cluster.place(of: column, in: leaf, pager: pager, under: try rootWithDeletedRows)
    }

    /// The id of a column in the file.
    public func columnID(_ column: Int) -> UInt16 { stored.columns[column].id }

    /// How a node describes the column if it stores it, for ``Node/hasInline(_:_:)``.
    public func columnTag(_ column: Int) -> ColumnTag { cluster.columns[column].tag }

    // MARK: Reading

    public func value(_ column: Int, of key: ObjectKey) throws(StorageError) -> Scalar {
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        return try value(column, at: location)
    }

    /// The bytes of a value that lie in the leaf of its row; nil for those elsewhere and for null.
    @inline(__always)
    func inlineBytes(_ column: Int, of key: ObjectKey) throws(StorageError)
        -> UnsafeRawBufferPointer?
    {
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        let (leaf, row) = (location.leaf, location.row)
        guard leaf.hasInline(column, cluster.columns[column].tag),
            cluster.columns[column].format.kind == .bytes, !leaf.isNull(column, row),
            !leaf.isOverflow(column, row)
        else { return nil }
        return leaf.bytes(column, row)
    }

    public func value(_ column: Int, at location: RowLocation) throws(StorageError) -> Scalar {
        let leaf = location.leaf
        if leaf.hasInline(column, cluster.columns[column].tag) {
            let kind = cluster.columns[column].format.kind
            return try leaf.scalar(pager, kind, in: column, at: location.row)
        }
        guard let (node, position) = try self.column(column, of: leaf) else {
            return cluster.columns[column].defaultScalar
        }
        let kind = cluster.columns[column].format.kind
        return try node.scalar(pager, kind, in: position, at: location.row)
    }
}
