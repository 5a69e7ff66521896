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
        try write(source, toNewFile: temporary, encryptionKey: encryptionKey)
        try StorageError.converting(.rename, path: path) { () throws(SystemFailure) in
            try System.rename(temporary, to: path)
            try System.syncDirectory(StorageError.directory(of: path))
        }
    }

    /// Writes a file that nobody else knows of, and closes it, so that its clean-close marker goes
    /// with it. When this returns it is durable, but for its name.
    static func write(
        _ source: Connection, toNewFile path: String, encryptionKey: [UInt8]?
    ) throws {
        let options = Database.Options(
            pageSize: source.pager.pageSize, encryptionKey: encryptionKey)
        let database = try Database.open(path: path, options: options)
        var copy = DatabaseCopy(source: source, target: try Connection(database))
        try copy.run()
    }

    private init(source: Connection, target: Connection) {
        self.source = source
        self.target = target
    }

    private mutating func run() throws {
        try target.beginWrite()
        try target.storeSchema(source.schema)
        for index in source.schema.tables.indices {
            try copy(source.table(index), to: target.table(index))
        }
        target.pager.leavesNoTail = true
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
        for position in 0..<(try old.count()) {
            let location = try old.location(at: position)
            let bytes = try new.appendCopy(of: old, old.key(at: location), location)
            try count(bytes)
        }
        try new.adoptCounters(of: old)
        for position in old.stored.columns.indices {
            guard let backlinks = old.stored.columns[position].backlinks else { continue }
            try copySeveral(backlinks.severalTreeID, to: new)
        }
    }

    /// Copies the backlinks of targets with several referrers.
    private mutating func copySeveral(_ treeID: UInt32, to new: Table) throws {
        let root = try source.forest.state(treeID).pointee.root
        let map = OrderedMap(firstKeyKind: .integer, valueCount: 1)
        // An entry at a time, because the transaction may end between two.
        var next: (first: Int64, second: Int64)? = (Int64.min, Int64.min)
        while let (first, second) = next {
            next = nil
            var entry: (Int64, Int64, Int64)?
            try map.forEach(source.pager, root, from: .integer(first), second) { node, row in
                let found = (node.integer(0, row), node.integer(1, row), node.integer(2, row))
                if entry == nil {
                    entry = found
                    return true
                }
                next = (found.0, found.1)
                return false
            }
            guard let entry else { return }
            let state = try target.forest.state(treeID)
            state.pointee.isDirty = true
            try map.set(
                new.quietWriter, &state.pointee.root, treeID: treeID, .integer(entry.0), entry.1,
                values: (entry.2, 0, 0, 0, 0))
            try count(32)
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
    /// key. Links and backlinks are copied as they are, collections get pages of their own. Returns
    /// a measure of the bytes it took.
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
        if let primaryKeyColumn {
            let value = try old.value(primaryKeyColumn, at: location)
            if !value.isNull { try insertPrimaryKey(value, key) }
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
