/// A list, set or map as it is stored, for reading: the bytes in its owner's row, or mixed value,
/// and their format. Valid until the connection's next write, refresh or end of read.
struct StoredCollection {
    // Safe because the connection that the view belongs to keeps its pager alive. Counting this
    // reference would be a large part of the cost of reading a collection.
    unowned(unsafe) let pager: Pager
    let bytes: UnsafeRawBufferPointer
    let format: RowFormat
    private let maximumRowCount: Int

    init(pager: Pager, bytes: UnsafeRawBufferPointer, format: RowFormat) {
        self.pager = pager
        self.bytes = bytes
        self.format = format
        maximumRowCount = pager.maximumRowCount
    }

    /// The root of a collection that has outgrown its owner's row; nil for inline rows. Bytes with
    /// an impossible root are not valid rows either, so reading them as rows reports the damage.
    var root: TreeRoot? {
        guard let root = InlineRows.root(bytes), root.count <= maximumRowCount else {
            return nil
        }
        return root
    }

    /// The tree id is not used for reading.
    var tree: CollectionTree {
        CollectionTree(hasKeys: format.hasKeys, kind: format.kind, treeID: 0)
    }

    // MARK: By position

    func count() throws(StorageError) -> Int {
        if let root { return root.count }
        var count = 0
        try forEachInline { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// The row at a position, which must be in range. O(log n).
    func row(at index: Int) throws(StorageError) -> CollectionRow {
        if let root {
            precondition(index >= 0 && index < root.count, "position out of range")
            let (leaf, row) = try tree.find(pager, root, at: index)
            return try read(leaf, row)
        }
        var found: CollectionRow?
        var position = 0
        try forEachInline { row, _ in
            if position == index { found = row }
            position += 1
            return found == nil
        }
        precondition(found != nil, "position out of range")
        return found!
    }

    /// The value at a position, which must be in range. O(log n).
    @inline(__always)
    func value(at index: Int) throws(StorageError) -> Scalar {
        guard let root else { return try row(at: index).value }
        precondition(index >= 0 && index < root.count, "position out of range")
        return try value(at: index, in: root)
    }

    /// The value at a position; nil if the position is out of range. O(log n).
    func value(ifAt index: Int) throws(StorageError) -> Scalar? {
        if index < 0 { return nil }
        if let root { return index < root.count ? try value(at: index, in: root) : nil }
        return try index < count() ? row(at: index).value : nil
    }

    @inline(__always)
    private func value(at index: Int, in root: TreeRoot) throws(StorageError) -> Scalar {
        let (leaf, row) = try tree.find(pager, root, at: index)
        return try leaf.scalar(pager, format.kind, in: tree.valueColumn, at: row)
    }

    /// Visits rows in order, from position `start` on, until `body` returns false.
    func forEach(from start: Int = 0, _ body: (CollectionRow) throws(StorageError) -> Bool)
        throws(StorageError)
    {
        guard let root else {
            var position = 0
            return try forEachInline { row, _ throws(StorageError) in
                position += 1
                if position <= start { return true }
                return try body(row)
            }
        }
        try tree.forEachLeaf(pager, root, from: start) { leaf, first throws(StorageError) in
            for row in max(0, start - first)..<leaf.rowCount {
                if try !body(read(leaf, row)) { return false }
            }
            return true
        }
    }

    /// Visits all values in order, until `body` returns false.
    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        guard let root else {
            return try forEachInline { row, _ throws(StorageError) in try body(row.value) }
        }
        let (kind, column) = (format.kind, tree.valueColumn)
        try tree.forEachLeaf(pager, root) { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                if try !body(leaf.scalar(pager, kind, in: column, at: row)) { return false }
            }
            return true
        }
    }

    /// Appends the integers among the values, in order: in a collection of links, the keys of the
    /// objects they lead to. Leaves without nulls are read as a whole, without a `Scalar` for each
    /// value.
    func appendIntegers(to integers: inout ContiguousArray<Int64>) throws(StorageError) {
        guard let root, format.kind == .integer else {
            return try forEachValue {
                if case .integer(let integer) = $0 { integers.append(integer) }
                return true
            }
        }
        let column = tree.valueColumn
        try tree.forEachLeaf(pager, root) { leaf, _ in
            if leaf.hasNulls(column) {
                for row in 0..<leaf.rowCount where !leaf.isNull(column, row) {
                    integers.append(leaf.integer(column, row))
                }
            } else {
                let all = (0..<leaf.rowCount).lazy.map { leaf.integer(column, $0) }
                integers.append(contentsOf: all)
            }
            return true
        }
    }

    private func read(_ leaf: Node, _ row: Int) throws(StorageError) -> CollectionRow {
        let value = try leaf.scalar(pager, format.kind, in: tree.valueColumn, at: row)
        guard format.hasKeys else { return CollectionRow(value: value) }
        return CollectionRow(key: try key(leaf, row), value: value)
    }

    private func key(_ leaf: Node, _ row: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        guard case .bytes(let key) = try leaf.scalar(pager, .bytes, in: 0, at: row) else {
            throw pager.damaged(0, "a map has a null key")
        }
        return key
    }

    /// Visits the rows of a collection without a tree, and their ranges in its bytes.
    func forEachInline(_ body: (CollectionRow, Range<Int>) throws(StorageError) -> Bool)
        throws(StorageError)
    {
        guard try InlineRows.forEach(bytes, format, body) else {
            throw pager.damaged(0, "the elements of a collection cannot be read")
        }
    }

    // MARK: By value

    /// The position of the first value equal to `value`. O(n).
    func firstIndex(of value: Scalar) throws(StorageError) -> Int? {
        if let root {
            if case .integer(let integer) = value {
                return try tree.firstIndex(pager, root, ofInteger: integer)
            }
            let column = tree.valueColumn
            return try tree.firstIndex(pager, root) { leaf, row throws(StorageError) in
                try leaf.scalar(pager, format.kind, in: column, at: row).isIdentical(to: value)
            }
        }
        var position = 0
        var found: Int?
        try forEachInline { row, _ in
            if row.value.isIdentical(to: value) { found = position }
            position += 1
            return found == nil
        }
        return found
    }

    /// The position of a value in a set, or the position at which it would be inserted. O(log n).
    func position(of value: Scalar) throws(StorageError) -> (index: Int, isFound: Bool) {
        let order = ValueOrder.ofSets(format.type)
        let index = try lowerBound(
            inTree: { leaf, row throws(StorageError) in
                order.compare(try leaf.scalar(pager, format.kind, in: 0, at: row), value) < 0
            },
            inline: { order.compare($0.value, value) < 0 })
        guard try index < count() else { return (index, false) }
        return (index, order.compare(try self.value(at: index), value) == 0)
    }

    /// The position of a key in a map, or the position at which it would be inserted. O(log n).
    func position(ofKey sought: UnsafeRawBufferPointer) throws(StorageError) -> (
        index: Int, isFound: Bool
    ) {
        let index = try lowerBound(
            inTree: { leaf, row throws(StorageError) in compareBytes(try key(leaf, row), sought) < 0
            },
            inline: { compareBytes($0.key, sought) < 0 })
        guard try index < count() else { return (index, false) }
        return (index, compareBytes(try row(at: index).key, sought) == 0)
    }

    private func lowerBound(
        inTree isBefore: (Node, Int) throws(StorageError) -> Bool,
        inline isRowBefore: (CollectionRow) -> Bool
    ) throws(StorageError) -> Int {
        if let root { return try tree.lowerBound(pager, root, isBefore: isBefore) }
        var position = 0
        try forEachInline { row, _ in
            guard isRowBefore(row) else { return false }
            position += 1
            return true
        }
        return position
    }
}
