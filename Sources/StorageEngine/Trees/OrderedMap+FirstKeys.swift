/// Lookup by first key: of a primary key, or of the leading bytes of an index's value.
extension OrderedMap {
    /// Returns the second key of the first entry with this first key, or nil if there is none.
    @inline(__always)
    func firstSecondKey(_ pager: Pager, _ root: TreeRoot, of first: FirstKey) throws(StorageError)
        -> Int64?
    {
        if root.reference.isNone { return nil }
        switch first {
        case .integer(let key): return try firstSecondKey(pager, root, of: IntegerKey(key: key))
        case .bytes(let key): return try firstSecondKey(pager, root, of: BytesKey(key: key))
        }
    }

    private func firstSecondKey(
        _ pager: Pager, _ root: TreeRoot, of key: some SearchedKey
    ) throws(StorageError) -> Int64? {
        let shape = MapShape(key: key, valueCount: valueCount)
        var node = try pager.root(of: root, shape)
        while node.level > 0 {
            // Second keys are never negative, so a separator with this first key never comes before
            // the first entry that has it.
            let row = key.lowerBound(node, BranchColumn.key, in: 1..<node.rowCount, wanted: -1)
            node = try pager.child(of: node, row - 1, shape: shape)
        }
        let row = key.lowerBound(node, 0, in: 0..<node.rowCount, wanted: 1)
        if row < node.rowCount {
            return key.isEqual(node, 0, at: row) ? node.integer(1, row) : nil
        }
        // The entry may be the first of the next leaf, if the separator of that leaf equals the
        // key.
        var found: Int64?
        try forEach(pager, root, from: key.firstKey, second: Int64.min) { leaf, row in
            if key.isEqual(leaf, 0, at: row) { found = leaf.integer(1, row) }
            return false
        }
        return found
    }
}

/// A first key to look up, in a type that determines its kind, so that a lookup is specialized for
/// each kind and never tests the kind on its way.
private protocol SearchedKey {
    static var kind: ColumnKind { get }
    var firstKey: OrderedMap.FirstKey { get }
    /// Returns the first row that is not before the key. `wanted` is the column that is read next
    /// in that row, or -1.
    func lowerBound(_ node: Node, _ column: Int, in rows: Range<Int>, wanted: Int) -> Int
    func isEqual(_ node: Node, _ column: Int, at row: Int) -> Bool
}

private struct IntegerKey: SearchedKey {
    let key: Int64

    static var kind: ColumnKind { .integer }
    var firstKey: OrderedMap.FirstKey { .integer(key) }

    @inline(__always)
    func lowerBound(_ node: Node, _ column: Int, in rows: Range<Int>, wanted: Int) -> Int {
        node.lowerBound(column, key, in: rows)
    }

    @inline(__always)
    func isEqual(_ node: Node, _ column: Int, at row: Int) -> Bool {
        node.integer(column, row) == key
    }
}

private struct BytesKey: SearchedKey {
    let key: UnsafeRawBufferPointer

    static var kind: ColumnKind { .bytes }
    var firstKey: OrderedMap.FirstKey { .bytes(key) }

    @inline(__always)
    func lowerBound(_ node: Node, _ column: Int, in rows: Range<Int>, wanted: Int) -> Int {
        node.lowerBound(column, ofKey: key, in: rows, wanted: wanted)
    }

    @inline(__always)
    func isEqual(_ node: Node, _ column: Int, at row: Int) -> Bool {
        node.order(column, row, toKey: key) == 0
    }
}

/// The shape of maps with this kind of first key.
private struct MapShape<Key: SearchedKey>: TreeShape {
    let valueCount: Int

    init(key: Key, valueCount: Int) { self.valueCount = valueCount }

    @inline(__always)
    func describes(_ page: PageHeader, level: Int) -> Bool {
        TreeFormat.map(firstKey: Key.kind, values: valueCount).describes(page, level: level)
    }
}
