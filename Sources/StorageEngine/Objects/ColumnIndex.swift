/// The index of one property: its objects in the order of their values.
///
/// It is created by ``Connection/setIndexed(_:_:of:progress:)`` or with the table, and updated by
/// every change of objects. Two ordered maps hold it: (value, object) for objects that have a
/// value, and (0, object) for the others. Long strings are truncated; equal prefixes are told apart
/// by the object keys.
///
/// The changes of a transaction are collected in memory and applied together: when the index is
/// read, when the transaction ends, and before the next change once they take
/// `maximumPendingBytes`. So a transaction visits each leaf of an index once for all of its
/// objects, and a bulk insert does not access the index at random.
///
/// Used by the connection's thread, and no longer than the property is indexed.
public final class ColumnIndex {
    /// Room for a quarter of a million numbers, or some ten thousand strings of a few hundred
    /// bytes.
    static let maximumPendingBytes = 4 << 20
    /// A new index is filled in batches of this many bytes, which is a million numbers.
    static let maximumBuildBytes = 16 << 20

    static let nullMap = OrderedMap(firstKeyKind: .integer, valueCount: 0)

    unowned let table: Table
    /// The position of the property among those of the table.
    public let column: Int
    let trees: StoredColumn.Index
    let map: OrderedMap
    @exclusivity(unchecked) private var values: MapChanges
    @exclusivity(unchecked) private var nulls = MapChanges(firstKeyKind: .integer)
    /// Whether the index lacks changes of the open transaction.
    @exclusivity(unchecked) private(set) var isBehind = false

    init(_ table: Table, _ column: Int, trees: StoredColumn.Index) {
        self.table = table
        self.column = column
        self.trees = trees
        let kind = table.stored.columns[column].definition!.type.traits.indexKeyKind!
        map = OrderedMap(firstKeyKind: kind, valueCount: 0)
        values = MapChanges(firstKeyKind: kind)
    }

    // MARK: Changing

    /// Records that an object has gained or lost a value.
    @inline(__always)
    func note(_ value: Scalar, _ key: ObjectKey, isRemoval: Bool) throws(StorageError) {
        if !isBehind { fallBehind() }
        switch value {
        case .null: nulls.append(.integer(0), key.rawValue, isRemoval: isRemoval)
        case .integer(let number):
            values.append(.integer(number), key.rawValue, isRemoval: isRemoval)
        default:
            try OrderedMap.withFirstKey(of: value, table.pager) { first, _ in
                values.append(first, key.rawValue, isRemoval: isRemoval)
            }
        }
        if pendingBytes >= Self.maximumPendingBytes { table.pager.requestAttention() }
    }

    private var pendingBytes: Int { values.byteCount &+ nulls.byteCount }

    /// Whether the index should catch up before the next change, or before the next step of a
    /// change to many objects. It cannot do so within a change, because the caller may still use
    /// pointers into pages.
    var isFarBehind: Bool { pendingBytes >= Self.maximumPendingBytes }

    @inline(never)
    private func fallBehind() {
        isBehind = true
        table.connection.indexFellBehind(self)
    }

    /// Applies the collected changes. After an error the transaction can only be rolled back. From
    /// then on the index is that of the base version, which is complete.
    ///
    /// `limitingMemory`: no pointers into pages are held, so that pages may be written ahead in
    /// between (``Pager/limitMemory()``).
    func catchUp(limitingMemory: Bool = false) throws(StorageError) {
        guard isBehind, table.pager.transactionFailure == nil else { return }
        do throws(StorageError) {
            try make(&values, map, tree: trees.values, limitingMemory: limitingMemory)
            try make(&nulls, Self.nullMap, tree: trees.nulls, limitingMemory: limitingMemory)
        } catch {
            table.pager.failTransaction(error)
            throw error
        }
        forgetChanges()
    }

    private func make(
        _ changes: inout MapChanges, _ map: OrderedMap, tree: UInt32,
        limitingMemory limitsMemory: Bool
    ) throws(StorageError) {
        if changes.isEmpty { return }
        let state = try table.forest.state(tree)
        state.pointee.isDirty = true
        try map.make(
            &changes, table.quietWriter, in: &state.pointee.root, treeID: tree,
            limitingMemory: limitsMemory)
        changes.removeAll()
    }

    /// Drops the collected changes, because the transaction is rolled back or all objects are
    /// removed.
    func forgetChanges() {
        values.removeAll()
        nulls.removeAll()
        isBehind = false
    }

    /// Frees the trees of the index, whose objects are all deleted or which is removed itself.
    func drop() throws(StorageError) {
        forgetChanges()
        for (map, tree) in maps {
            try table.forest.drop(tree, map.format, with: table.quietWriter)
        }
    }

    /// Adds all objects of the table to an empty index, in batches that are sorted by value.
    func build(_ progress: ((String, Int, Int) -> Void)?) throws(StorageError) {
        let count = try table.count()
        var position = 0
        while position < count {
            try gather(from: &position) { progress?(self.table.stored.name, $0, count) }
            isBehind = true
            try catchUp(limitingMemory: true)
        }
    }

    /// Collects the entries of whole leaves, from the leaf whose first row is at `position`, until
    /// a batch is full. Advances `position` to the next leaf, and calls `report` with it.
    private func gather(
        from position: inout Int, _ report: (Int) -> Void
    ) throws(StorageError) {
        try table.forEachLeaf(from: position, keepsLeaves: false) { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                let value = try table.value(column, at: RowLocation(leaf: leaf, row: row))
                let key = leaf.objectKey(row)
                if value.isNull {
                    nulls.append(.integer(0), key.rawValue, isRemoval: false)
                } else {
                    try OrderedMap.withFirstKey(of: value, table.pager) { first, _ in
                        values.append(first, key.rawValue, isRemoval: false)
                    }
                }
            }
            position += leaf.rowCount
            report(position)
            return pendingBytes < Self.maximumBuildBytes
        }
    }

    // MARK: Trees

    /// The maps of the index with their tree ids: the one of values, and the one of nulls if there
    /// is one.
    var maps: [(map: OrderedMap, tree: UInt32)] {
        trees.nulls == 0
            ? [(map, trees.values)] : [(map, trees.values), (Self.nullMap, trees.nulls)]
    }

    func root(_ tree: UInt32) throws(StorageError) -> TreeRoot {
        tree == 0 ? .empty : try table.forest.state(tree).pointee.root
    }
}
