/// Lookup by primary key: an ordered map from primary keys to object keys. The object whose primary
/// key is null is stored in the `extra` of the map's root entry.
extension Table {
    var keyState: UnsafeMutablePointer<Forest.State> {
        get throws { try forest.state(primaryKeyTreeID) }
    }

    /// The object with this primary key; nil if there is none. O(log n).
    public func find(primaryKey: Scalar) throws -> ObjectKey? {
        guard let column = primaryKeyColumn else {
            throw pager.invalidArgument("'\(stored.name)' has no primary key.")
        }
        let state = try keyState
        if case .null = primaryKey {
            let extra = state.pointee.extra
            return extra == 0 ? nil : ObjectKey(rawValue: extra - 1)
        }
        let map = primaryKeyMap
        switch (cluster.columns[column].format.kind, primaryKey) {
        case (.integer, .integer), (.bytes, .bytes), (.fixed16, .fixed16), (.fixed12, .fixed12):
            break
        default: return nil
        }
        return try withFirstKey(primaryKey) { first, isCut in
            if isCut { return try findCut(primaryKey, first, state.pointee.root) }
            return try map.firstSecondKey(pager, state.pointee.root, first)
                .map(ObjectKey.init(rawValue:))
        }
    }

    /// Among the objects with the same truncated primary key, finds the one whose whole key is
    /// equal.
    private func findCut(_ key: Scalar, _ first: OrderedMap.FirstKey, _ root: TreeRoot) throws
        -> ObjectKey?
    {
        let map = primaryKeyMap
        var found: ObjectKey?
        try map.forEach(pager, root, from: first, Int64.min) { node, row in
            guard map.isFirstEqual(node, 0, row, first) else { return false }
            let candidate = ObjectKey(rawValue: node.integer(1, row))
            if try value(primaryKeyColumn!, of: candidate).isIdentical(to: key) {
                found = candidate
                return false
            }
            return true
        }
        return found
    }

    /// Calls `body` with the form in which a map stores a key, and whether the key was truncated.
    func withFirstKey<R>(
        _ key: Scalar, _ body: (OrderedMap.FirstKey, Bool) throws -> R
    ) throws -> R {
        switch key {
        case .integer(let value):
            return try body(.integer(value), false)
        case .double(let number):
            // The rank as a signed integer, so that NaN comes first and both zeros are equal.
            return try body(
                .integer(Int64(bitPattern: SortRank.of(number) ^ 1 << 63)), false)
        case .bytes(let bytes):
            // Keys of exactly the limit count as truncated, because the truncated form of longer
            // keys may equal them.
            let length = min(bytes.count, OrderedMap.maximumKeyBytes)
            return try body(
                .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<length])),
                bytes.count >= OrderedMap.maximumKeyBytes)
        case .fixed16(let a, let b):
            // The bytes of the UUID, so that the map orders UUIDs by their bytes.
            let image = (a.littleEndian, b.littleEndian)
            return try withUnsafeBytes(of: image) { try body(.bytes($0), false) }
        case .fixed12(let a, let b):
            let image = (a.littleEndian, b.littleEndian)
            // The bytes of the tuple are 8 + 4: its stride is padded, but not its size.
            return try withUnsafeBytes(of: image) { try body(.bytes($0), false) }
        default:
            throw pager.invalidArgument("Such a value cannot be a primary key or indexed.")
        }
    }

    func checkNew(primaryKey: Scalar) throws {
        if try find(primaryKey: primaryKey) != nil { throw duplicateKey }
    }

    private var duplicateKey: StorageError {
        StorageError(
            .duplicateKey, path: connection.database.path,
            message: "An object of '\(stored.name)' with this primary key exists already.")
    }

    /// Adds the primary key of a new object.
    ///
    /// - Throws: `.duplicateKey` if an object already has this key: then nothing has changed.
    func enterPrimaryKey(_ value: Scalar, ofNew key: ObjectKey) throws {
        let isEntered =
            switch value {
            case .integer(let number): try enterUnique(.integer(number), key)
            case .null: try enterChecked(value, key)
            default:
                try withFirstKey(value) { first, isCut in
                    isCut ? try enterChecked(value, key) : try enterUnique(first, key)
                }
            }
        if !isEntered { throw duplicateKey }
    }

    @inline(__always)
    private func enterUnique(_ first: OrderedMap.FirstKey, _ key: ObjectKey) throws -> Bool {
        let state = try keyState
        state.pointee.isDirty = true
        return try primaryKeyMap.insertUnique(
            primaryKeyWriter, &state.pointee.root, treeID: primaryKeyTreeID, first, key.rawValue)
    }

    /// Adds a key whose stored form may equal that of another key: a truncated one or null.
    private func enterChecked(_ value: Scalar, _ key: ObjectKey) throws -> Bool {
        if try find(primaryKey: value) != nil { return false }
        try enterPrimaryKey(value, of: key)
        return true
    }

    /// Adds a primary key that no object has.
    func enterPrimaryKey(_ value: Scalar, of key: ObjectKey) throws {
        let state = try keyState
        state.pointee.isDirty = true
        if case .null = value {
            state.pointee.extra = key.rawValue &+ 1
            return
        }
        try withFirstKey(value) { first, _ in
            _ = try primaryKeyMap.set(
                primaryKeyWriter, &state.pointee.root, treeID: primaryKeyTreeID, first,
                key.rawValue)
        }
    }

    func removePrimaryKey(of key: ObjectKey) throws {
        guard let column = primaryKeyColumn else { return }
        let state = try keyState
        state.pointee.isDirty = true
        let value = try value(column, of: key)
        if case .null = value {
            state.pointee.extra = 0
            return
        }
        try withFirstKey(value) { first, _ in
            _ = try primaryKeyMap.remove(primaryKeyWriter, &state.pointee.root, first, key.rawValue)
        }
    }
}
