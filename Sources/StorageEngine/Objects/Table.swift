/// The objects of one class, as one connection sees them.
///
/// Columns are addressed by their position in `definition.columns`. Used by the connection's
/// thread. Reading outside a pinned version, or with a position out of range, is a programming
/// error.
public final class Table {
    public unowned let connection: Connection
    let index: Int
    @exclusivity(unchecked) private(set) var stored: StoredTable
    @exclusivity(unchecked) private(set) var cluster: ClusterTree
    // Beside the connection, which is unowned: reading it costs more than these.
    let pager: Pager
    let forest: Forest
    let primaryKeyTreeID: UInt32
    let clusterWriter: TreeWriter
    /// Writers of trees without rows: their moves concern nobody.
    let quietWriter: TreeWriter
    private let quietMoves: UnsafeMutablePointer<UInt64>
    let primaryKeyWriter: TreeWriter
    /// For each column that is a link: table and position of its backlink column.
    @exclusivity(unchecked) private(set) var backlinkColumns: [(table: Int, column: Int)?] = []
    /// What `prepare` needs to know of a column, without reference counting.
    private struct ColumnCheck {
        /// What a change has to look after beside the row.
        enum Role {
            case plain, link, bytes, primaryKey
        }

        var kind: ColumnKind
        var allowsNull: Bool
        var isList: Bool
        var role: Role

        @inline(__always)
        func accepts(_ value: Scalar) -> Bool {
            switch (kind, value) {
            case (_, .null): isList || allowsNull
            case (.bytes, .bytes(let bytes)):
                !isList && bytes.count <= Pager.maximumValueBytes
            case (.integer, .integer), (.double, .double), (.float, .float), (.fixed16, .fixed16):
                true
            default: false
            }
        }
    }

    private let checks: UnsafeMutablePointer<ColumnCheck>
    private let scratch: UnsafeMutablePointer<ClusterTree.StoredValue>
    /// Overflow references of one insert, kept until the row is written: three words a column.
    private let images: UnsafeMutablePointer<UInt64>
    /// Copies of short strings and data, a slot a column: what is to be stored may lie in the very
    /// leaf that takes it.
    private let copies: UnsafeMutableRawPointer
    let propertyCount: Int

    init(_ connection: Connection, _ schema: StoredSchema, _ index: Int) {
        self.connection = connection
        self.index = index
        stored = schema.tables[index]
        pager = connection.pager
        forest = connection.forest
        primaryKeyTreeID = stored.primaryKeyTreeID
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
        copies = .allocate(
            byteCount: max(1, propertyCount) * pager.maximumInlineBytes, alignment: 16)
        for column in 0..<propertyCount {
            let definition = stored.columns[column].definition!
            checks[column] = ColumnCheck(
                kind: stored.columns[column].kind,
                allowsNull: definition.isOptional || definition.type == .link,
                isList: definition.collection == .list, role: Self.role(definition))
        }
        adopt(schema, index)
    }

    deinit {
        quietMoves.deallocate()
        scratch.deallocate()
        checks.deallocate()
        images.deallocate()
        copies.deallocate()
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
        if let primaryKeyColumn {
            primaryKeyMap = OrderedMap(
                firstKeyKind: stored.columns[primaryKeyColumn].kind == .integer ? .integer : .bytes,
                valueCount: 0)
        }
    }

    @exclusivity(unchecked)
    public private(set) var definition = TableDefinition(name: "", columns: [])
    @exclusivity(unchecked) private var hasLinks = false
    @exclusivity(unchecked) private(set) var primaryKeyColumn: Int?
    /// How the primary key's map stores it.
    @exclusivity(unchecked) private(set) var primaryKeyMap = OrderedMap(
        firstKeyKind: .integer, valueCount: 0)

    private static func role(_ definition: ColumnDefinition) -> ColumnCheck.Role {
        if definition.isPrimaryKey { return .primaryKey }
        if definition.type == .link { return .link }
        return definition.type.columnKind == .bytes ? .bytes : .plain
    }

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

    /// Visits leaves in key order, until `body` returns false: the way to scan. Columns that do not
    /// fit a leaf are read with `column(_:of:)`.
    public func forEachLeaf(
        from position: Int = 0, _ body: (_ leaf: Node, _ firstPosition: Int) throws -> Bool
    ) throws {
        try ClusterTree.forEachLeaf(pager, try root, from: position, body)
    }

    /// The node and position in it that hold a column of a leaf: the leaf itself, or the column's
    /// own node; nil if the leaf is older than the column, so that all its rows have the default.
    public func column(_ column: Int, of leaf: Node) throws -> (node: Node, column: Int)? {
        let position = leaf.columnIndex(ofID: cluster.columns[column].id, expected: column)
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
        let format = cluster.columns[column].format
        if leaf.hasInline(column, id: format.id) {
            return try leaf.scalar(pager, format.kind, column, location.row)
        }
        guard let (node, position) = try self.column(column, of: leaf) else {
            return cluster.columns[column].defaultScalar
        }
        return try node.scalar(pager, format.kind, position, location.row)
    }

    // MARK: Inserting

    /// Appends an object. `values` come in column order; missing ones at the end take their
    /// defaults, list columns are given `.null` and start empty.
    ///
    /// - Throws: `.duplicateKey` if the primary key exists, `.valueTooLarge` for strings and data
    ///   over 16 MiB, `.invalidArgument` for values that do not fit their columns and links to
    ///   objects that do not exist: then nothing has changed. After any other error the transaction
    ///   can only be rolled back.
    public func insert(_ values: UnsafeBufferPointer<Scalar>) throws -> ObjectKey {
        try requireWriteTransaction()
        guard values.count <= propertyCount else {
            throw pager.invalidArgument("More values than columns in '\(stored.name)'.")
        }
        for column in 0..<values.count {
            if !checks[column].accepts(values[column]) { throw unfit(column, values[column]) }
        }
        if hasLinks {
            for column in 0..<values.count { try checkTarget(column, values[column]) }
        }
        if let primaryKeyColumn {
            let key =
                primaryKeyColumn < values.count
                ? values[primaryKeyColumn] : cluster.columns[primaryKeyColumn].defaultScalar
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
                ? values[primaryKeyColumn] : cluster.columns[primaryKeyColumn].defaultScalar
            try insertPrimaryKey(value, key)
        }
        if hasLinks { try addBacklinks(from: key, values) }
        return key
    }

    private func addBacklinks(from key: ObjectKey, _ values: UnsafeBufferPointer<Scalar>) throws {
        for column in 0..<values.count {
            if backlinkColumns[column] != nil, !stored.columns[column].isList,
                case .integer(let target) = values[column]
            {
                try addBacklink(column, from: key, to: ObjectKey(rawValue: target))
            }
        }
    }

    @inline(__always)
    func requireWriteTransaction() throws {
        if !pager.isInWriteTransaction {
            throw pager.invalidArgument("This needs a write transaction.")
        }
    }

    /// Links may only lead to objects that exist.
    func checkTarget(_ column: Int, _ value: Scalar) throws {
        guard let target = backlinkColumns[column], case .integer(let rawKey) = value else {
            return
        }
        let key = ObjectKey(rawValue: rawKey)
        if try !connection.table(target.table).contains(key) { throw pager.noSuchObject(key) }
    }

    /// The form in which a value that its column accepts is stored: a long one on pages of its own.
    @inline(__always)
    private func prepare(_ column: Int, _ value: Scalar) throws -> ClusterTree.StoredValue {
        if case .bytes(let bytes) = value {
            let limit = pager.maximumInlineBytes
            if bytes.count > limit { return try prepareLong(column, bytes) }
            let copy = UnsafeMutableRawBufferPointer(
                start: copies + column * limit, count: bytes.count)
            copy.copyMemory(from: bytes)
            return .init(scalar: .bytes(UnsafeRawBufferPointer(copy)))
        }
        if checks[column].isList {
            return .init(scalar: .bytes(UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        return .init(scalar: value)
    }

    private func unfit(_ column: Int, _ value: Scalar) -> StorageError {
        let name = "'\(stored.name).\(definition.columns[column].name)'"
        if checks[column].isList {
            return pager.invalidArgument("The list \(name) is changed through its handle.")
        }
        if value.isNull { return pager.invalidArgument("Column \(name) must not be null.") }
        if case .bytes(let bytes) = value, bytes.count > Pager.maximumValueBytes {
            return tooLarge(column, bytes.count)
        }
        return pager.invalidArgument("Column \(name) holds values of another type.")
    }

    func tooLarge(_ column: Int, _ count: Int) -> StorageError {
        StorageError(
            .valueTooLarge, path: connection.database.path,
            message: "The value of '\(stored.name).\(definition.columns[column].name)' has "
                + "\(count) bytes; the limit is \(Pager.maximumValueBytes).")
    }

    func prepareLong(_ column: Int, _ bytes: UnsafeRawBufferPointer) throws
        -> ClusterTree.StoredValue
    {
        let reference = try pager.writeOverflow(bytes)
        let image = images + column * 3
        image[0] = reference.page.littleEndian
        image[1] = reference.birth.littleEndian
        image[2] = UInt64(bytes.count).littleEndian
        return .init(
            scalar: .bytes(UnsafeRawBufferPointer(start: image, count: 24)), isOverflow: true)
    }

    // MARK: Setting

    /// Sets one value of an object. Setting a link (or nulling it) keeps the backlinks of old and
    /// new target.
    ///
    /// - Throws: what `insert` throws, with the same promise.
    public func set(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        try requireWriteTransaction()
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard !checks[column].isList, checks[column].accepts(value) else {
            throw unfit(column, value)
        }
        switch checks[column].role {
        case .plain:
            // The cluster tree itself throws for an object that does not exist, before it changes
            // anything.
            try store(try prepare(column, value), column, of: key)
        case .link: try setLink(column, of: key, to: value)
        case .bytes, .primaryKey: try setOwned(column, of: key, to: value)
        }
    }

    private func setLink(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        try checkTarget(column, value)
        let old = try self.value(column, of: key)
        if case .integer(let target) = old {
            try removeBacklink(column, from: key, to: ObjectKey(rawValue: target))
        }
        try store(.init(scalar: value), column, of: key)
        if case .integer(let target) = value {
            try addBacklink(column, from: key, to: ObjectKey(rawValue: target))
        }
    }

    /// Sets a value that has something beside its row: a primary key's entry, or pages of its own.
    private func setOwned(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        guard try contains(key) else { throw pager.noSuchObject(key) }
        if column == primaryKeyColumn {
            if try find(primaryKey: value) == key { return }
            try checkNew(primaryKey: value)
        }
        // Before anything is freed: the value may be a view of the old one.
        let prepared = try prepare(column, value)
        if column == primaryKeyColumn {
            try removePrimaryKey(of: key)
            try insertPrimaryKey(value, key)
        }
        if cluster.columns[column].format.kind == .bytes { try freeOverflow(column, of: key) }
        try store(prepared, column, of: key)
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
