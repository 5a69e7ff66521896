/// A sorted map on pages from (first key, second key) to up to five integers.
///
/// Primary keys use (integer or bytes, object key) without values; backlinks (target, origin) ->
/// count; the forest (tree id, 0) -> root. Leaves and branches have the same key columns.
struct OrderedMap {
    /// The length to which longer byte keys are cut. The second key tells entries apart that agree
    /// up to this length; readers compare the full values.
    static let maximumKeyBytes = 256

    enum FirstKey {
        case integer(Int64)
        case bytes(UnsafeRawBufferPointer)
    }

    let firstKeyKind: ColumnKind
    let valueCount: Int

    var format: TreeFormat { .map(firstKey: firstKeyKind, values: valueCount) }

    /// A first key that no other precedes.
    var smallestKey: FirstKey {
        firstKeyKind == .integer
            ? .integer(.min) : .bytes(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Calls `body` with the first key of a row of a leaf.
    func withFirstKey<Result>(
        _ leaf: Node, _ row: Int, _ body: (FirstKey) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if firstKeyKind == .integer { return try body(.integer(leaf.integer(0, row))) }
        return try leaf.withKey(0, row) { key throws(StorageError) in try body(.bytes(key)) }
    }

    // MARK: Searching

    /// Returns the first row of `node`, at or after `start`, that is not before the key. The key
    /// columns begin at `column`.
    @inline(__always)
    func lowerBound(
        _ node: Node, _ column: Int, of first: FirstKey, second: Int64, from start: Int = 0
    ) -> Int {
        let rows = node.rowCount
        switch first {
        case .integer(let key):
            let row = node.lowerBound(column, key, in: start..<rows)
            guard row < rows, node.integer(column, row) == key,
                node.integer(column + 1, row) < second
            else { return row }
            // Searches the rows with this first key, which ascend by the second key.
            let end = key == .max ? rows : node.lowerBound(column, key + 1, in: row + 1..<rows)
            return node.lowerBound(column + 1, second, in: row + 1..<end)
        case .bytes(let key):
            let row = node.lowerBound(column, ofKey: key, in: start..<rows)
            guard row < rows, node.integer(column + 1, row) < second,
                node.order(column, row, toKey: key) == 0
            else { return row }
            var (low, high) = (row + 1, rows)
            while low < high {
                let middle = (low + high) / 2
                if node.integer(column + 1, middle) < second,
                    node.order(column, middle, toKey: key) == 0
                {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
    }

    /// Returns the row of a branch whose child may hold the key.
    @inline(__always)
    func childRow(_ node: Node, _ first: FirstKey, second: Int64) -> Int {
        // The first separator is ignored: all keys below the second belong to the first child.
        let row = lowerBound(node, BranchColumn.key, of: first, second: second, from: 1)
        let isSeparator =
            row < node.rowCount
            && isEqual(node, BranchColumn.key, at: row, to: first, second: second)
        return isSeparator ? row : row - 1
    }

    @inline(__always)
    func isEqual(_ node: Node, _ column: Int, at row: Int, to first: FirstKey, second: Int64)
        -> Bool
    {
        isFirstEqual(node, column, at: row, to: first) && node.integer(column + 1, row) == second
    }

    @inline(__always)
    func isFirstEqual(_ node: Node, _ column: Int, at row: Int, to first: FirstKey) -> Bool {
        switch first {
        case .integer(let key): node.integer(column, row) == key
        case .bytes(let key): node.order(column, row, toKey: key) == 0
        }
    }

    /// Compares the first key of a row of a leaf with another key. Returns a negative number, zero
    /// or a positive number.
    @inline(__always)
    func orderOfFirst(_ leaf: Node, _ row: Int, to first: FirstKey) -> Int {
        switch first {
        case .integer(let key):
            let own = leaf.integer(0, row)
            return own < key ? -1 : own == key ? 0 : 1
        case .bytes(let key): return leaf.order(0, row, toKey: key)
        }
    }

    /// Whether the entry of a row comes before that of a row of another leaf.
    func isBefore(
        _ leaf: Node, _ row: Int, other: Node, row otherRow: Int
    ) throws(StorageError) -> Bool {
        let order = try withFirstKey(other, otherRow) { first throws(StorageError) in
            orderOfFirst(leaf, row, to: first)
        }
        return order != 0 ? order < 0 : leaf.integer(1, row) < other.integer(1, otherRow)
    }

    /// Visits entries in order, from the given key on, until `body` returns false.
    func forEach(
        _ pager: Pager, _ root: TreeRoot, from first: FirstKey, second: Int64,
        _ body: (Node, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if root.reference.isNone { return }
        var remaining = root.count
        _ = try visit(
            pager, try pager.root(of: root, format), from: first, second: second, isEdge: true,
            leaving: &remaining, body)
    }

    /// Visits the entries below a node. `remaining` is the most rows that the leaves to come may
    /// have. In a malicious file a node may occur repeatedly; the walk ends once it has seen as
    /// many rows as the root counts.
    private func visit(
        _ pager: Pager, _ node: Node, from first: FirstKey, second: Int64, isEdge: Bool,
        leaving remaining: inout Int, _ body: (Node, Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        if node.level == 0 {
            remaining -= max(1, node.rowCount)
            guard remaining >= 0 else {
                throw pager.damaged(0, "a map has more entries than its root counts")
            }
            let start = isEdge ? lowerBound(node, 0, of: first, second: second) : 0
            for row in start..<node.rowCount where try !body(node, row) { return false }
            return true
        }
        let start = isEdge ? childRow(node, first, second: second) : 0
        for row in start..<node.rowCount {
            let child = try pager.child(of: node, row, shape: format)
            let isFirst = isEdge && row == start
            guard
                try visit(
                    pager, child, from: first, second: second, isEdge: isFirst, leaving: &remaining,
                    body)
            else {
                return false
            }
        }
        return true
    }

    /// Returns the leaf and row of exactly this key, or nil if there is no such entry.
    @inline(__always)
    func find(_ pager: Pager, _ root: TreeRoot, first: FirstKey, second: Int64)
        throws(StorageError)
        -> (Node, Int)?
    {
        if root.reference.isNone { return nil }
        let format = format
        var node = try pager.root(of: root, format)
        while node.level > 0 {
            node = try pager.child(of: node, childRow(node, first, second: second), shape: format)
        }
        let row = lowerBound(node, 0, of: first, second: second)
        return row < node.rowCount && isEqual(node, 0, at: row, to: first, second: second)
            ? (node, row) : nil
    }

    // MARK: Changing

    /// Inserts an entry, or replaces the values of an equal one. Returns whether the entry is new.
    @discardableResult
    func set(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, first: FirstKey,
        second: Int64, values: (Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0)
    ) throws(StorageError) -> Bool {
        if root.reference.isNone {
            root.reference = try makeLeaf(writer, treeID).0
        }
        while true {
            let leaf = try writer.descend(&root, format) { childRow($0, first, second: second) }
            let view = leaf.reading
            let row = lowerBound(view, 0, of: first, second: second)
            if row < view.rowCount, isEqual(view, 0, at: row, to: first, second: second) {
                if setValues(leaf, row, to: values) { return false }
            } else if leaf.insertPlaceholderRow(at: row) {
                if setKey(leaf, row, to: first, second: second), setValues(leaf, row, to: values) {
                    try writer.addToCounts(&root, 1)
                    return true
                }
                leaf.removeRow(at: row)
            }
            try makeRoom(writer, &root, for: first, at: row)
        }
    }

    func setKey(_ leaf: MutableNode, _ row: Int, to first: FirstKey, second: Int64)
        -> Bool
    {
        let isFirstSet =
            switch first {
            case .integer(let key): leaf.setInteger(0, row, to: key)
            case .bytes(let key): leaf.setKey(0, row, to: key)
            }
        return isFirstSet && leaf.setInteger(1, row, to: second)
    }

    private func setValues(
        _ leaf: MutableNode, _ row: Int, to values: (Int64, Int64, Int64, Int64, Int64)
    ) -> Bool {
        (valueCount < 1 || leaf.setInteger(2, row, to: values.0))
            && (valueCount < 2 || leaf.setInteger(3, row, to: values.1))
            && (valueCount < 3 || leaf.setInteger(4, row, to: values.2))
            && (valueCount < 4 || leaf.setInteger(5, row, to: values.3))
            && (valueCount < 5 || leaf.setInteger(6, row, to: values.4))
    }

    func makeLeaf(_ writer: TreeWriter, _ treeID: UInt32) throws(StorageError) -> (
        PageReference, MutableNode
    ) {
        try writer.makeNode(level: 0, treeID: treeID, columns: format.leafColumns, lowKey: 0)
    }

    /// Returns where to split a full leaf that has no room for a row at `row`: at its end if the
    /// row would be appended there, because more are likely to follow; otherwise in the middle.
    func usualCut(_ leaf: Node, _ row: Int) -> Int {
        let rows = leaf.rowCount
        return row >= rows ? rows - 1 : rows / 2
    }

    /// Splits the full leaf at the end of the path before row `cut`. The path is invalid
    /// afterwards.
    func split(_ writer: TreeWriter, _ root: inout TreeRoot, at cut: Int) throws(StorageError) {
        let leaf = writer.leaf
        let rows = leaf.rowCount
        guard rows >= 2 else {
            throw writer.pager.damaged(root.reference.page, "an entry of a map fills a leaf")
        }
        let (reference, right) = try makeLeaf(writer, leaf.reading.treeID)
        // Appending encodes the rows anew: half of a wide range of keys may be narrow.
        guard
            right.appendRows(
                from: leaf.reading, cut..<rows, sharingPrefix: format.sharesPrefix)
        else {
            throw writer.pager.damaged(
                writer.steps[writer.depth - 1].reference.page,
                "a leaf of a map is longer than any this library writes")
        }
        try writer.insertSibling(
            &root, format, after: writer.depth - 1, reference: reference, sibling: right,
            separator: .row(leaf.reading, cut))
        // Removed last, because the separator is a row of this leaf and `insertSibling` counts its
        // rows.
        leaf.removeRows(cut..<rows)
    }

    /// Removes an entry. Returns false if there is none.
    @discardableResult
    func remove(
        _ writer: TreeWriter, _ root: inout TreeRoot, first: FirstKey, second: Int64
    ) throws(StorageError) -> Bool {
        guard try find(writer.pager, root, first: first, second: second) != nil else {
            return false
        }
        while true {
            let leaf = try writer.descend(&root, format) { childRow($0, first, second: second) }
            let row = lowerBound(leaf.reading, 0, of: first, second: second)
            guard row < leaf.reading.rowCount,
                isEqual(leaf.reading, 0, at: row, to: first, second: second)
            else {
                throw writer.pager.damaged(
                    writer.steps[writer.depth - 1].reference.page, "a map's separators are wrong")
            }
            guard leaf.prepareRemoval(ofRow: row) else {
                try split(writer, &root, at: leaf.rowCount / 2)
                continue
            }
            leaf.removeRow(at: row)
            try writer.addToCounts(&root, -1)
            let rows = leaf.rowCount
            if rows == 0 {
                try writer.removeLeaf(&root, format)
            } else if ClusterTree.isDueForMerging(rows: rows, before: rows + 1) {
                try mergeLeaf(writer, &root)
            }
            return true
        }
    }
}
