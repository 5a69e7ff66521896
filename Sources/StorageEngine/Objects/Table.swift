/// The objects of one class, as one connection sees them.
///
/// Columns are addressed by their position in `definition.columns`. Used by the connection's thread. Reading
/// outside a pinned version, or with a position out of range, is a programming error.
public final class Table {
    public unowned let connection: Connection
    let index: Int
    private(set) var stored: StoredTable
    private(set) var cluster: ClusterTree
    // Beside the connection, which is unowned: reading it costs more than these.
    private let pager: Pager
    private let forest: Forest
    let clusterWriter: TreeWriter
    /// Writers of trees without rows: their moves concern nobody.
    let quietWriter: TreeWriter
    private let quietMoves: UnsafeMutablePointer<UInt64>
    let primaryKeyWriter: TreeWriter
    /// For each column that is a link: table and position of its backlink column.
    private(set) var backlinkColumns: [(table: Int, column: Int)?] = []
    /// What `prepare` needs to know of a column, without reference counting.
    private struct ColumnCheck {
        var kind: ColumnKind
        var allowsNull: Bool
        var isList: Bool
    }

    private var checks: UnsafeMutablePointer<ColumnCheck>
    private var scratch: UnsafeMutablePointer<ClusterTree.StoredValue>
    /// Overflow references of one insert, kept until the row is written: three words a column.
    private var images: UnsafeMutablePointer<UInt64>
    private var propertyCount = 0

    init(_ connection: Connection, _ schema: StoredSchema, _ index: Int) {
        self.connection = connection
        self.index = index
        stored = schema.tables[index]
        pager = connection.pager
        forest = connection.forest
        cluster = ClusterTree(treeID: stored.clusterTreeID, columns: [])
        clusterWriter = TreeWriter(pager: pager, layoutStamp: connection.layoutStamp)
        quietMoves = .allocate(capacity: 2)
        quietMoves.initialize(repeating: 0, count: 2)
        quietWriter = TreeWriter(pager: pager, layoutStamp: quietMoves)
        primaryKeyWriter = TreeWriter(pager: pager, layoutStamp: quietMoves + 1)
        // Properties are fixed when a table is created; only backlink columns are added later.
        propertyCount = stored.propertyCount
        checks = .allocate(capacity: propertyCount)
        scratch = .allocate(capacity: propertyCount)
        images = .allocate(capacity: max(1, propertyCount * 3))
        for column in 0..<propertyCount {
            let definition = stored.columns[column].definition!
            checks[column] = ColumnCheck(
                kind: stored.columns[column].kind,
                allowsNull: definition.isOptional || definition.type == .link,
                isList: definition.collection == .list)
        }
        adopt(schema, index)
    }

    deinit {
        quietMoves.deallocate()
        scratch.deallocate()
        checks.deallocate()
        images.deallocate()
    }

    /// The schema changed: other tables may have added backlink columns.
    func adopt(_ schema: StoredSchema, _ index: Int) {
        stored = schema.tables[index]
        cluster.columns = stored.columns.map(\.clusterColumn)
        definition = stored.definition
        backlinkColumns = stored.columns.indices.map { column in
            stored.columns[column].definition?.type == .link
                ? schema.backlinkColumn(ofTable: index, column: column) : nil
        }
        hasLinks = backlinkColumns.contains { $0 != nil }
        primaryKeyColumn = stored.primaryKeyColumn
    }

    public private(set) var definition = TableDefinition(name: "", columns: [])
    private var hasLinks = false
    private(set) var primaryKeyColumn: Int?

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

    /// Where an object's row lies now; nil if it does not exist.
    public func location(of key: ObjectKey) throws -> RowLocation? {
        try ClusterTree.location(pager, try root, of: key)
    }

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

    /// How many objects come before this one in key order; nil if it does not exist. O(log n).
    public func position(of key: ObjectKey) throws -> Int? {
        try ClusterTree.position(pager, try root, of: key)
    }

    /// Visits leaves in key order, until `body` returns false: the way to scan. Columns that do not fit
    /// a leaf are read with `column(_:of:)`.
    public func forEachLeaf(
        from position: Int = 0, _ body: (_ leaf: Node, _ firstPosition: Int) throws -> Bool
    ) throws {
        try ClusterTree.forEachLeaf(pager, try root, from: position, body)
    }

    /// The node and position in it that hold a column of a leaf: the leaf itself, or the column's own node; nil if the
    /// leaf is older than the column, so that all its rows have the default.
    public func column(_ column: Int, of leaf: Node) throws -> (node: Node, column: Int)? {
        let position = leaf.columnIndex(ofID: stored.columns[column].id, expected: column)
        if position < 0 { return nil }
        if !leaf.isSpilled(position) { return (leaf, position) }
        return (try pager.node(leaf.spillReference(position)), 0)
    }

    /// The engine's id of a column, for `Node.hasInline(_:id:)`.
    public func columnID(_ column: Int) -> UInt16 { stored.columns[column].id }

    // MARK: Reading

    public func value(_ column: Int, of key: ObjectKey) throws -> Scalar {
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        return try value(column, at: location)
    }

    public func value(_ column: Int, at location: RowLocation) throws -> Scalar {
        let leaf = location.leaf
        if leaf.hasInline(column, id: stored.columns[column].id) {
            return try value(stored.columns[column].kind, leaf, column, location.row)
        }
        guard let (node, position) = try self.column(column, of: leaf) else {
            return stored.columns[column].defaultScalar
        }
        return try value(stored.columns[column].kind, node, position, location.row)
    }

    @inline(__always)
    private func value(_ kind: ColumnKind, _ node: Node, _ column: Int, _ row: Int) throws
        -> Scalar
    {
        try node.scalar(pager, kind, column, row)
    }

    // MARK: Inserting

    /// Appends an object. `values` come in column order; missing ones at the end take their defaults, list columns are
    /// given `.null` and start empty.
    ///
    /// - Throws: `.duplicateKey` if the primary key exists, `.valueTooLarge` for strings and data over 16 MiB.
    public func insert(_ values: UnsafeBufferPointer<Scalar>) throws -> ObjectKey {
        try connection.requireWriteTransaction()
        guard values.count <= propertyCount else {
            throw pager.invalidArgument("More values than columns in '\(stored.name)'.")
        }
        if let primaryKeyColumn {
            let key =
                primaryKeyColumn < values.count
                ? values[primaryKeyColumn] : stored.columns[primaryKeyColumn].defaultScalar
            try checkNew(primaryKey: key)
        }
        let state = try state
        let key = ObjectKey(rawValue: state.pointee.extra)
        for column in 0..<values.count {
            scratch[column] = try prepare(column, values[column])
        }
        state.pointee.isDirty = true
        try cluster.append(
            clusterWriter, &state.pointee.root, key,
            UnsafeBufferPointer(start: scratch, count: values.count))
        state.pointee.extra += 1
        if let primaryKeyColumn {
            let value =
                primaryKeyColumn < values.count
                ? values[primaryKeyColumn] : stored.columns[primaryKeyColumn].defaultScalar
            try insertPrimaryKey(value, key)
        }
        if hasLinks { try addBacklinks(from: key, values) }
        return key
    }

    private func addBacklinks(from key: ObjectKey, _ values: UnsafeBufferPointer<Scalar>) throws {
        for column in 0..<values.count {
            if backlinkColumns[column] != nil, !stored.columns[column].isList,
                case let .integer(target) = values[column]
            {
                try addBacklink(column, from: key, to: ObjectKey(rawValue: target))
            }
        }
    }

    /// Checks a value against its column, and moves a long one to pages of its own.
    @inline(__always)
    private func prepare(_ column: Int, _ value: Scalar) throws -> ClusterTree.StoredValue {
        let check = checks[column]
        switch (check.kind, value) {
        case (.bytes, let .bytes(bytes)) where !check.isList:
            if bytes.count > pager.maximumInlineBytes { return try prepareLong(column, bytes) }
        case (.integer, .integer), (.double, .double), (.float, .float), (.fixed16, .fixed16):
            break
        case (_, .null) where check.isList:
            return .init(scalar: .bytes(UnsafeRawBufferPointer(start: nil, count: 0)))
        case (_, .null) where check.allowsNull:
            break
        default:
            throw unfit(column, value)
        }
        return .init(scalar: value)
    }

    private func unfit(_ column: Int, _ value: Scalar) -> StorageError {
        let name = "'\(stored.name).\(definition.columns[column].name)'"
        if checks[column].isList {
            return pager.invalidArgument("The list \(name) is changed through its handle.")
        }
        if value.isNull { return pager.invalidArgument("Column \(name) must not be null.") }
        return pager.invalidArgument("Column \(name) holds values of another type.")
    }

    func prepareLong(_ column: Int, _ bytes: UnsafeRawBufferPointer) throws
        -> ClusterTree.StoredValue
    {
        let reference = try writeLong(column, bytes)
        let image = images + column * 3
        image[0] = reference.page.littleEndian
        image[1] = reference.birth.littleEndian
        image[2] = UInt64(bytes.count).littleEndian
        return .init(
            scalar: .bytes(UnsafeRawBufferPointer(start: image, count: 24)), isOverflow: true)
    }

    /// Writes a long value to pages of its own.
    func writeLong(_ column: Int, _ bytes: UnsafeRawBufferPointer) throws -> PageReference {
        guard bytes.count <= Pager.maximumValueBytes else {
            throw StorageError(
                .valueTooLarge, path: connection.database.path,
                message: "The value of '\(stored.name).\(definition.columns[column].name)' has "
                    + "\(bytes.count) bytes; the limit is \(Pager.maximumValueBytes).")
        }
        return try pager.writeOverflow(bytes)
    }

    // MARK: Setting

    /// Sets one value of an object. Setting a link (or nulling it) keeps the backlinks of old and new target.
    public func set(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        try connection.requireWriteTransaction()
        if column == primaryKeyColumn { try changePrimaryKey(of: key, to: value) }
        let kind = stored.columns[column].kind
        if kind == .bytes { try freeOverflow(column, of: key) }
        let isLink = backlinkColumns[column] != nil
        if isLink, case let .integer(old) = try self.value(column, of: key) {
            try removeBacklink(column, from: key, to: ObjectKey(rawValue: old))
        }
        let prepared = try prepare(column, value)
        try store(prepared, column, of: key)
        if isLink, case let .integer(new) = value {
            try addBacklink(column, from: key, to: ObjectKey(rawValue: new))
        }
    }

    @inline(__always)
    func store(_ value: ClusterTree.StoredValue, _ column: Int, of key: ObjectKey) throws {
        let state = try state
        state.pointee.isDirty = true
        try cluster.set(clusterWriter, &state.pointee.root, key, column, value)
    }

    /// Frees the pages of a long value before it is replaced.
    func freeOverflow(_ column: Int, of key: ObjectKey) throws {
        guard let location = try location(of: key),
            let (node, position) = try self.column(column, of: location.leaf),
            node.isOverflow(position, location.row)
        else { return }
        try pager.free(node.overflowReference(position, location.row).0)
    }
}

extension Node {
    /// One value of a column of this node, long values included.
    @inline(__always)
    func scalar(_ pager: Pager, _ kind: ColumnKind, _ column: Int, _ row: Int) throws -> Scalar {
        if isNull(column, row) { return .null }
        switch kind {
        case .integer: return .integer(integer(column, row))
        case .double: return .double(double(column, row))
        case .float: return .float(float(column, row))
        case .fixed16:
            let source = fixed16(column, row)
            return .fixed16(
                UInt64(littleEndian: source.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        case .bytes:
            if isOverflow(column, row) {
                return .bytes(try pager.overflowBytes(overflowReference(column, row).0))
            }
            return .bytes(bytes(column, row))
        }
    }
}
