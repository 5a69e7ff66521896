import Glibc

/// Copies what a connection sees, uncommitted changes included, into a new file: object by object
/// in key order, so that the copy has no free pages and full leaves. Object keys stay the same.
///
/// The copy is written in transactions of bounded size, and gets its name only when it is complete.
struct DatabaseCopy {
    /// A transaction ends after so many bytes of values: this bounds the memory that a copy takes.
    private static let bytesPerTransaction = 4 << 20

    private let source: Connection
    private let target: Connection
    private var bytesInTransaction = 0

    static func write(
        _ source: Connection, toPath path: String, encryptionKey: [UInt8]?
    ) throws {
        if (try? System.status(path: path)) != nil {
            throw StorageError(
                SystemFailure(call: .rename, errno: EEXIST), .write, path: path)
        }
        let temporary = "\(path).copy-\(UInt64.random(in: .min ... .max))"
        defer {
            for suffix in ["", ".lock"] { try? System.unlink(temporary + suffix) }
        }
        do {
            let options = Database.Options(
                pageSize: source.pager.pageSize, encryptionKey: encryptionKey)
            let database = try Database.open(path: temporary, options: options)
            var copy = DatabaseCopy(source: source, target: try Connection(database))
            try copy.run()
        }
        // The copy is closed by now, so that its clean-close marker goes with it.
        try StorageError.converting(.rename, path: path) { () throws(SystemFailure) in
            try System.rename(temporary, to: path)
            try System.syncDirectory(StorageError.directory(of: path))
        }
    }

    private init(source: Connection, target: Connection) {
        self.source = source
        self.target = target
    }

    private mutating func run() throws {
        try source.catchUpIndexes()
        try target.beginWrite()
        try target.storeSchema(source.schema)
        for index in source.schema.tables.indices {
            try copy(source.table(index), to: target.table(index))
        }
        try target.commit()
    }

    private mutating func count(_ bytes: Int) throws {
        bytesInTransaction += bytes
        guard bytesInTransaction >= Self.bytesPerTransaction else { return }
        bytesInTransaction = 0
        try target.commit()
        try target.beginWrite()
    }

    private mutating func copy(_ old: Table, to new: Table) throws {
        try old.forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount {
                let location = RowLocation(leaf: leaf, row: row)
                try count(try new.appendCopy(of: old, old.key(at: location), location))
            }
            return true
        }
        if old.primaryKeyColumn != nil {
            try copyMap(old.primaryKeyMap, old.primaryKeyTreeID, new.primaryKeyWriter)
        }
        for (map, tree) in old.indexes.flatMap(\.maps) { try copyMap(map, tree, new.quietWriter) }
        try new.adoptCounters(of: old)
        let several = OrderedMap(firstKeyKind: .integer, valueCount: 1)
        for position in old.stored.columns.indices {
            guard let backlinks = old.stored.columns[position].backlinks else { continue }
            try copyMap(several, backlinks.severalTreeID, new.quietWriter)
        }
    }

    /// Copies a map in the order of its keys, so that the copy's leaves are full, in whatever order
    /// its objects came.
    private mutating func copyMap(
        _ map: OrderedMap, _ treeID: UInt32, _ writer: TreeWriter
    ) throws {
        let root = try source.forest.state(treeID).pointee.root
        try map.forEach(source.pager, root, from: map.smallestKey, Int64.min) { node, row in
            // Looked up each time, because the transaction may have ended meanwhile.
            let state = try target.forest.state(treeID)
            state.pointee.isDirty = true
            let value = map.valueCount > 0 ? node.integer(2, row) : 0
            try map.set(
                writer, &state.pointee.root, treeID: treeID, map.firstKey(node, row),
                node.integer(1, row), values: (value, 0, 0, 0, 0))
            try count(32)
            return true
        }
    }
}

extension Connection {
    /// Writes a packed copy of what this connection sees, uncommitted changes included, to a new
    /// file, encrypted with a key of 64 bytes of its own, or plain.
    ///
    /// - Throws: `.fileExists` if there is a file at `path`.
    public func writeCopy(toPath path: String, encryptionKey: [UInt8]? = nil) throws {
        try DatabaseCopy.write(self, toPath: path, encryptionKey: encryptionKey)
    }
}

extension Table {
    /// Appends a copy of an object of another database's table of the same schema, under the same
    /// key. Links and backlinks are copied as they are, collections get pages of their own, the
    /// primary key's map is copied as a whole. Returns a measure of the bytes it took.
    func appendCopy(of old: Table, _ key: ObjectKey, _ location: RowLocation) throws -> Int {
        var values: [ClusterTree.StoredValue] = []
        var owned: [UnsafeMutableRawBufferPointer] = []
        defer { for buffer in owned { buffer.deallocate() } }
        var byteCount = 16
        var collections = CollectionCopy(table: self, key: key, source: old.pager)
        for column in stored.columns.indices {
            var value = try old.value(column, at: location)
            if column < propertyCount, let image = try collections.image(of: value, column) {
                let buffer = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: image.count, alignment: 8)
                buffer.copyBytes(from: image)
                owned.append(buffer)
                value = .bytes(UnsafeRawBufferPointer(buffer))
            }
            byteCount += 8
            if case .bytes(let bytes) = value {
                byteCount += bytes.count
                if bytes.count > connection.pager.maximumInlineBytes {
                    values.append(try prepareLong(column, bytes))
                    continue
                }
            }
            values.append(.init(scalar: value))
        }
        let state = try state
        state.pointee.isDirty = true
        try values.withUnsafeBufferPointer {
            try cluster.append(clusterWriter, &state.pointee.root, key, $0)
        }
        return byteCount + collections.byteCount
    }

    /// The next object key, and the object whose primary key is null.
    func adoptCounters(of old: Table) throws {
        let cluster = try state
        cluster.pointee.extra = try old.state.pointee.extra
        cluster.pointee.isDirty = true
        guard primaryKeyColumn != nil else { return }
        let key = try connection.forest.state(stored.primaryKeyTreeID)
        key.pointee.extra =
            try old.connection.forest.state(old.stored.primaryKeyTreeID).pointee.extra
        key.pointee.isDirty = true
    }
}
