/// The primary keys of a table: an ordered map from keys to objects. The object whose primary key
/// is null is stored in the `extra` of the map's root entry.
///
/// Long strings and data are truncated in the map. The objects themselves tell apart those that
/// begin alike, so functions that need them are given the table. Those that are not inlined are
/// static, because the map itself would be copied to be passed.
struct PrimaryKeyMap: ~Copyable {
    let treeID: UInt32
    /// The form in which the map stores keys.
    let map: OrderedMap
    /// Writes the map. Its moves invalidate no `RowLocation`.
    let writer: TreeWriter
    private let kind: ColumnKind
    private let forest: Forest

    init(_ table: StoredTable, in forest: Forest, layoutStamp: UnsafeMutablePointer<UInt64>) {
        treeID = table.primaryKeyTreeID
        kind = table.primaryKeyColumn.map { table.columns[$0].kind } ?? .integer
        map = OrderedMap(firstKeyKind: kind == .integer ? .integer : .bytes, valueCount: 0)
        writer = TreeWriter(pager: forest.pager, layoutStamp: layoutStamp)
        self.forest = forest
    }

    var state: UnsafeMutablePointer<Forest.State> {
        @inline(__always)
        get throws(StorageError) { try forest.state(treeID) }
    }

    private var changedState: UnsafeMutablePointer<Forest.State> {
        @inline(__always)
        get throws(StorageError) {
            let state = try state
            state.pointee.isDirty = true
            return state
        }
    }

    // MARK: Finding

    /// Whether a value that is not null is of the type of the primary key.
    @inline(__always)
    func mayHold(_ key: Scalar) -> Bool {
        switch (kind, key) {
        case (.integer, .integer), (.bytes, .bytes), (.fixed16, .fixed16), (.fixed12, .fixed12):
            true
        default: false
        }
    }

    /// The object whose primary key is null; nil if there is none.
    @inline(__always)
    func objectOfNull() throws(StorageError) -> ObjectKey? {
        let extra = try state.pointee.extra
        return extra == 0 ? nil : ObjectKey(rawValue: extra - 1)
    }

    /// The object with this primary key; nil if there is none. O(log n).
    @inline(__always)
    func find(_ key: Scalar, in table: Table) throws(StorageError) -> ObjectKey? {
        let state = try state
        if case .null = key { return try objectOfNull() }
        guard mayHold(key) else { return nil }
        return try OrderedMap.withFirstKey(of: key, forest.pager) {
            first, isCut throws(StorageError) in
            if isCut { return try Self.findCut(key, first, in: table) }
            return try map.firstSecondKey(forest.pager, state.pointee.root, of: first)
                .map(ObjectKey.init(rawValue:))
        }
    }

    /// Among the objects with the same truncated primary key, finds the one whose whole key is
    /// equal.
    private static func findCut(
        _ key: Scalar, _ first: OrderedMap.FirstKey, in table: Table
    ) throws(StorageError) -> ObjectKey? {
        var found: ObjectKey?
        let (map, column) = (table.primaryKeys.map, table.primaryKeyColumn!)
        let root = try table.primaryKeys.state.pointee.root
        try map.forEach(table.pager, root, from: first, second: Int64.min) {
            node, row throws(StorageError) in
            guard map.isFirstEqual(node, 0, at: row, to: first) else { return false }
            let candidate = ObjectKey(rawValue: node.integer(1, row))
            if try table.value(column, of: candidate).isIdentical(to: key) {
                found = candidate
                return false
            }
            return true
        }
        return found
    }

    /// The objects ordered by primary key, except the one whose key is null.
    func order(in table: Table) throws(StorageError) -> OrderedColumn {
        OrderedColumn(
            table: table, column: table.primaryKeyColumn!, map: map, root: try state.pointee.root)
    }

    // MARK: Changing

    /// Adds the primary key of a new object. Returns false, with nothing changed, if an object
    /// already has this key.
    @inline(never)
    static func enter(_ value: Scalar, ofNew key: ObjectKey, in table: Table) throws(StorageError)
        -> Bool
    {
        switch value {
        case .integer(let number): try table.primaryKeys.enterUnique(.integer(number), key)
        case .null: try enterChecked(value, key, in: table)
        default:
            try OrderedMap.withFirstKey(of: value, table.pager) {
                first, isCut throws(StorageError) in
                isCut
                    ? try enterChecked(value, key, in: table)
                    : try table.primaryKeys.enterUnique(first, key)
            }
        }
    }

    @inline(__always)
    private func enterUnique(_ first: OrderedMap.FirstKey, _ key: ObjectKey) throws(StorageError)
        -> Bool
    {
        try map.insertUnique(
            writer, &changedState.pointee.root, treeID: treeID, first: first, second: key.rawValue)
    }

    /// Adds a key whose stored form may equal that of another key: a truncated one or null.
    private static func enterChecked(
        _ value: Scalar, _ key: ObjectKey, in table: Table
    ) throws(StorageError) -> Bool {
        if try table.find(primaryKey: value) != nil { return false }
        try enter(value, of: key, in: table)
        return true
    }

    /// Adds a primary key that no object has.
    static func enter(_ value: Scalar, of key: ObjectKey, in table: Table) throws(StorageError) {
        let state = try table.primaryKeys.changedState
        if case .null = value {
            state.pointee.extra = key.rawValue &+ 1
            return
        }
        try OrderedMap.withFirstKey(of: value, table.pager) { first, _ throws(StorageError) in
            _ = try table.primaryKeys.map.set(
                table.primaryKeys.writer, &state.pointee.root, treeID: table.primaryKeys.treeID,
                first: first, second: key.rawValue)
        }
    }

    /// Removes the primary key of an object that has it.
    static func remove(of key: ObjectKey, in table: Table) throws(StorageError) {
        let value = try table.value(table.primaryKeyColumn!, of: key)
        let state = try table.primaryKeys.changedState
        if case .null = value {
            state.pointee.extra = 0
            return
        }
        try OrderedMap.withFirstKey(of: value, table.pager) { first, _ throws(StorageError) in
            _ = try table.primaryKeys.map.remove(
                table.primaryKeys.writer, &state.pointee.root, first: first, second: key.rawValue)
        }
    }

    /// Removes the primary keys of many objects at once.
    static func remove(
        _ removals: inout MapChanges, andNull: Bool, in table: Table
    ) throws(StorageError) {
        let state = try table.primaryKeys.changedState
        if andNull { state.pointee.extra = 0 }
        try table.primaryKeys.map.make(
            &removals, table.primaryKeys.writer, in: &state.pointee.root,
            treeID: table.primaryKeys.treeID, limitingMemory: true)
    }

    static func removeAll(in table: Table) throws(StorageError) {
        try table.forest.drop(
            table.primaryKeys.treeID, table.primaryKeys.map.format,
            with: table.primaryKeys.writer)
        try table.primaryKeys.state.pointee.extra = 0
    }
}

extension Table {
    /// The object with this primary key; nil if there is none. O(log n).
    public func find(primaryKey: Scalar) throws(StorageError) -> ObjectKey? {
        if primaryKeyColumn == nil { throw noPrimaryKey }
        return try primaryKeys.find(primaryKey, in: self)
    }

    var noPrimaryKey: StorageError {
        pager.invalidArgument("'\(stored.name)' has no primary key.")
    }
}
