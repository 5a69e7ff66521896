/// Sharing room among neighbouring leaves: a full leaf hands rows over before it is split, and a
/// leaf that has lost rows takes those of a neighbour.
///
/// Keys that arrive in runs among others ("1000", "10000", "100000", ...) would otherwise leave
/// half-full leaves behind, which are rarely visited again.
extension OrderedMap {
    /// Makes room in the full leaf at the end of the path for a row at `row` with this first key.
    /// The path is invalid afterwards.
    ///
    /// A prefix that the key shares is looked for first. So what it frees is not taken back for the
    /// sake of this key.
    func makeRoom(
        _ writer: TreeWriter, _ root: inout TreeRoot, for first: FirstKey, at row: Int
    ) throws(StorageError) {
        if case .bytes(let key) = first, writer.leaf.extendPrefix(0, for: key) { return }
        if try handOverRows(writer, forRowAt: row) { return }
        try split(writer, &root, at: usualCut(writer.leaf.reading, row))
    }

    /// Hands rows of the full leaf over to the neighbour that can take more of them. Returns false,
    /// with no row moved, if that is not worthwhile.
    ///
    /// The rows come from one end of the leaf, up to `row` at most, so that a run continues in the
    /// room that they leave. They take three quarters of the neighbour's free room. Behind a run,
    /// leaves are then nearly full after one or two transfers; where keys come in any order, both
    /// leaves have room for a while. A neighbour with less free room than an eighth of a leaf is
    /// skipped, which bounds how many rows move for each inserted one.
    private func handOverRows(_ writer: TreeWriter, forRowAt row: Int) throws(StorageError) -> Bool
    {
        guard writer.depth > 1 else { return false }
        let leaf = writer.leaf
        let rows = leaf.rowCount
        // Where rows are appended, the previous leaf is usually full.
        if row == rows, writer.isAtLastLeaf { return false }
        // A leaf of ramps reaches its limit of rows, not of bytes.
        let used = leaf.usedBytes - NodeDraft.bytes(directoryOf: leaf.columnCount)
        guard used > leaf.byteCount / 2 else { return false }
        let (branch, index) = writer.parent
        var most = rows / 32
        var best: (index: Int, node: Node)?
        for (other, movable) in [(index - 1, row), (index + 1, rows - row)]
        where other >= 0 && other < branch.rowCount && movable > most {
            let node = try writer.sibling(at: other, format)
            let bytes = leaf.byteCount - NodeDraft.packedBytes(node)
            guard bytes >= leaf.byteCount / 8 else { continue }
            let count = min(movable, bytes * 3 / 4 * rows / used)
            if count > most { (most, best) = (count, (other, node)) }
        }
        guard let (other, node) = best else { return false }
        let isLeft = other < index
        let moved = isLeft ? 0..<most : rows - most..<rows
        try requireOrder(isLeft ? node : leaf.reading, isLeft ? leaf.reading : node, by: writer)
        // Among the neighbour's keys, rows may take more bytes than in their own leaf.
        let bytes = node.packedBytes(
            with: leaf.reading, moved, at: isLeft ? node.rowCount : 0,
            sharingPrefix: format.sharesPrefix)
        guard bytes <= leaf.byteCount,
            bytes - NodeDraft.packedBytes(node) <= used * most / rows * 5 / 4
        else { return false }
        return try writer.moveRows(moved, toSibling: other, format: format)
    }

    /// Moves the rows of the neighbour with fewer rows into the leaf at the end of the path, which
    /// has lost rows, if it has room for them and for some more. The path is invalid afterwards if
    /// they were moved.
    ///
    /// The last leaf of the map is never merged: it may fill up with new entries.
    func mergeLeaf(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError) {
        guard writer.depth > 1, !writer.isAtLastLeaf else { return }
        let leaf = writer.leaf
        let (branch, index) = writer.parent
        let end = branch.rowCount - (writer.isOnRightEdge(writer.depth - 2) ? 1 : 0)
        let others = [index - 1, index + 1].filter { $0 >= 0 && $0 < end }
        guard
            let other = others.min(by: {
                branch.reading.childCount($0) < branch.reading.childCount($1)
            })
        else { return }
        let node = try writer.sibling(at: other, format)
        let limit = leaf.byteCount / 8 * 7
        // This estimate costs less than computing what the rows would take together.
        guard leaf.usedBytes + NodeDraft.packedBytes(node) <= limit + limit / 8 else { return }
        let isLeft = other < index
        try requireOrder(isLeft ? node : leaf.reading, isLeft ? leaf.reading : node, by: writer)
        let bytes = leaf.reading.packedBytes(
            with: node, 0..<node.rowCount, at: isLeft ? 0 : leaf.rowCount,
            sharingPrefix: format.sharesPrefix)
        if bytes <= limit { try writer.absorbSibling(other, &root, format: format) }
    }

    /// Checks that keys ascend between two neighbouring leaves, which a malicious file may violate.
    private func requireOrder(_ left: Node, _ right: Node, by writer: TreeWriter)
        throws(StorageError)
    {
        let last = left.rowCount - 1
        guard try isBefore(left, last, other: right, row: 0) else {
            throw writer.pager.damaged(
                writer.steps[writer.depth - 1].reference.page, "keys of a map do not ascend")
        }
    }
}
