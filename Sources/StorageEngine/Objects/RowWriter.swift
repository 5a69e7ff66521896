/// Writes the rows of a table's objects into their tree, and nothing else: keys, references and
/// indexes are other steps of a change, whose order the table knows.
///
/// It has two writers, so that the path to the last leaf stays while older objects are changed. The
/// functions are given the tree, because its columns change with the table's schema. They are
/// inlined, because the writer itself would be copied to be passed.
struct RowWriter: ~Copyable {
    /// Changes and deletes objects.
    let clusterWriter: TreeWriter
    /// Appends objects. Its path stays at the last leaf while older objects are changed and
    /// deleted.
    let appendWriter: TreeWriter
    private let treeID: UInt32
    private let forest: Forest
    private let buffer: RowBuffer

    /// The stamps are those of ``TreeWriter``.
    init(
        _ table: StoredTable, in forest: Forest, layoutStamp: UnsafeMutablePointer<UInt64>,
        pathStamp: UnsafeMutablePointer<UInt64>
    ) {
        let pager = forest.pager
        clusterWriter = TreeWriter(pager: pager, layoutStamp: layoutStamp, pathStamp: pathStamp)
        appendWriter = TreeWriter(pager: pager, layoutStamp: layoutStamp, pathStamp: pathStamp)
        treeID = table.clusterTreeID
        self.forest = forest
        buffer = RowBuffer(columns: table.propertyCount, slotBytes: pager.maximumInlineBytes)
    }

    // MARK: Finding

    /// The row of an object if it lies in the leaf to which objects are appended.
    @inline(__always)
    func appended(_ key: ObjectKey) -> RowLocation? {
        guard mayHaveAppended(key), let row = appendWriter.row(of: key) else { return nil }
        return RowLocation(leaf: appendWriter.leaf.reading, row: row)
    }

    /// The row of an object if it lies in the leaf that was changed last.
    @inline(__always)
    func changed(_ key: ObjectKey) -> RowLocation? {
        guard clusterWriter.hasPath(to: treeID), let row = clusterWriter.row(of: key) else {
            return nil
        }
        return RowLocation(leaf: clusterWriter.leaf.reading, row: row)
    }

    /// Whether the path of the append writer ends at a leaf that may contain this object.
    @inline(__always)
    private func mayHaveAppended(_ key: ObjectKey) -> Bool {
        appendWriter.hasPath(to: treeID) && appendWriter.leaf.reading.lowKey <= key.rawValue
    }

    // MARK: Values

    /// The form in which a value accepted by its column is stored; see ``RowBuffer``.
    @inline(__always)
    func prepare(_ column: Int, _ value: Scalar) throws(StorageError) -> ClusterTree.StoredValue {
        try buffer.prepare(value, column, in: forest.pager)
    }

    // MARK: Changing

    @inline(__always)
    private var changedState: UnsafeMutablePointer<Forest.State> {
        get throws(StorageError) {
            let state = try forest.state(treeID)
            state.pointee.isDirty = true
            return state
        }
    }

    /// The key of the next object.
    var nextKey: ObjectKey {
        @inline(__always)
        get throws(StorageError) { ObjectKey(rawValue: try forest.state(treeID).pointee.extra) }
    }

    /// Appends the row of the object with the next key. `values` are in column order; missing ones
    /// at the end take their defaults.
    @inline(__always)
    func append(
        _ values: UnsafeBufferPointer<Scalar>, as key: ObjectKey, to tree: ClusterTree
    ) throws(StorageError) {
        let state = try changedState
        if try !tree.appendInPlace(appendWriter, &state.pointee.root, key: key, values: values) {
            // The row may need a new leaf layout, or overflow pages for its values.
            let prepared = try buffer.prepare(values, for: tree, in: forest.pager)
            try tree.append(appendWriter, &state.pointee.root, key: key, values: prepared)
        }
        state.pointee.extra += 1
    }

    /// Sets one value of an object.
    ///
    /// - Throws: `.noSuchObject` if it does not exist: then nothing has changed.
    @inline(__always)
    func set(
        _ column: Int, of key: ObjectKey, to value: ClusterTree.StoredValue, in tree: ClusterTree
    ) throws(StorageError) {
        let state = try changedState
        if mayHaveAppended(key), appendWriter.row(of: key) != nil {
            return try tree.set(
                appendWriter, &state.pointee.root, key: key, column: column, to: value)
        }
        try tree.set(clusterWriter, &state.pointee.root, key: key, column: column, to: value)
    }

    /// The row of an object if the path of a writer leads to it, for changes that keep its leaf.
    @inline(__always)
    private func open(_ key: ObjectKey) -> (leaf: MutableNode, row: Int)? {
        if mayHaveAppended(key), let row = appendWriter.row(of: key) {
            return (appendWriter.leaf, row)
        }
        guard clusterWriter.hasPath(to: treeID), let row = clusterWriter.row(of: key) else {
            return nil
        }
        return (clusterWriter.leaf, row)
    }

    /// Replaces bytes in a leaf of this transaction by as many others, which must not lie in it.
    /// Returns false, with nothing changed, if they are elsewhere, or more or fewer.
    @inline(__always)
    func overwrite(
        _ column: ClusterTree.Column, at position: Int, of key: ObjectKey,
        with bytes: UnsafeRawBufferPointer
    ) throws(StorageError) -> Bool {
        guard let (leaf, row) = open(key), column.format.kind == .bytes,
            leaf.reading.hasInline(position, column.tag), !leaf.reading.isNull(position, row),
            !leaf.reading.isOverflow(position, row)
        else { return false }
        let old = leaf.reading.bytes(position, row)
        guard old.count == bytes.count, !bytes.isEmpty else { return false }
        UnsafeMutableRawBufferPointer(mutating: old).copyMemory(from: bytes)
        _ = try changedState
        return true
    }

    /// Replaces `old` by another integer in a leaf of this transaction. Returns false, with nothing
    /// changed, if the object has another value there, or its row is elsewhere.
    @inline(__always)
    func exchange(
        _ column: ClusterTree.Column, at position: Int, of key: ObjectKey, from old: Int64,
        to new: Int64
    ) throws(StorageError) -> Bool {
        guard let (leaf, row) = open(key), column.format.kind == .integer,
            leaf.reading.hasInline(position, column.tag), !leaf.reading.isNull(position, row),
            leaf.reading.integer(position, row) == old
        else { return false }
        _ = try changedState
        return leaf.setInteger(position, row, to: new)
    }

    /// Makes a row writable before it is read and then changed in place, so that both take one
    /// descent.
    @inline(__always)
    func makeWritable(_ key: ObjectKey, in tree: ClusterTree) throws(StorageError) {
        if mayHaveAppended(key), appendWriter.row(of: key) != nil { return }
        try tree.makeWritable(clusterWriter, &changedState.pointee.root, key: key)
    }

    // MARK: Removing

    /// Removes rows with ascending keys, mostly few; see
    /// ``ClusterTree/removeTogether(_:_:keys:limitingMemory:)``.
    @inline(__always)
    func removeTogether(
        _ keys: UnsafeBufferPointer<ObjectKey>, from tree: ClusterTree, limitingMemory: Bool
    ) throws(StorageError) {
        try tree.removeTogether(
            clusterWriter, &changedState.pointee.root, keys: keys, limitingMemory: limitingMemory)
    }

    /// Removes rows with ascending keys, mostly many of each leaf.
    @inline(__always)
    func remove(_ keys: UnsafeBufferPointer<ObjectKey>, from tree: ClusterTree) throws(StorageError)
    {
        try tree.remove(clusterWriter, &changedState.pointee.root, keys: keys)
    }

    @inline(__always)
    func removeAll() throws(StorageError) {
        try forest.drop(treeID, .cluster, with: clusterWriter)
    }
}
