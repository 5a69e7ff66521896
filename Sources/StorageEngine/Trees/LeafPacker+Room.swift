/// Deciding how many rows a leaf has room for, which of its columns are spilled, and how many pages
/// it takes.
extension LeafPacker {
    private enum Room {
        case enough
        /// The leaf itself has no room.
        case leafFull
        /// A spilled column has reached its limit, so spilling more columns would not help.
        case columnFull
    }

    /// Returns how many of the wanted rows fit beside those gathered, in the encodings that all of
    /// them need. Spills columns, or grows the leaf, if that makes room.
    func mostRows(
        _ leaf: Node, _ columns: [Source], of wanted: Range<Int>, joint: [ColumnNeeds]
    ) -> Int {
        while true {
            // Invariant of the bisection: `fitting` rows have room and `tooMany` have not.
            var (fitting, tooMany) = (0, wanted.count + 1)
            var middle = wanted.count
            var outcome = Room.enough
            while fitting + 1 < tooMany {
                let rows = wanted.lowerBound..<wanted.lowerBound + middle
                let room = room(for: leaf, columns, rows: rows, joint: joint)
                if room == .enough {
                    fitting = middle
                } else {
                    tooMany = middle
                    outcome = room
                }
                middle = (fitting + tooMany) / 2
            }
            let rows = wanted.lowerBound..<wanted.lowerBound + max(fitting, 1)
            let hasFewRows =
                rowCount + fitting < ClusterTree.minimumRows * pages / shape.pages
            if shape.isCluster, outcome == .leafFull,
                (hasFewRows && spillLargest(columns, rows, with: joint)) || grow()
            {
                continue
            }
            return fitting
        }
    }

    private func room(
        for leaf: Node, _ columns: [Source], rows: Range<Int>, joint: [ColumnNeeds]
    ) -> Room {
        let total = rowCount + rows.count
        var bytes = NodeDraft.bytes(directoryOf: joint.count)
        for c in joint.indices {
            let stringBytes = stringBytes(c, columns[c], rows: rows)
            let columnBytes = joint[c].bytes(rows: total, stringBytes: stringBytes)
            let isLong =
                joint[c].heapBytes(of: stringBytes, rows: total) > MutableNode.heapLimit
            if isSpilled[c] {
                let nodeBytes = NodeDraft.bytes(directoryOf: 1) + columnBytes
                if isLong || nodeBytes > largestSpill(shape.columns[c]) { return .columnFull }
            } else {
                if isLong { return .leafFull }
                bytes += columnBytes
            }
        }
        if shape.isCluster {
            let first = rowCount > 0 ? firstKey : leaf.objectKey(rows.lowerBound).rawValue
            let last = leaf.objectKey(rows.upperBound - 1).rawValue
            if let width = Self.keyWidth(first, last, rows: total) {
                bytes += Self.keyBytes(rows: total, width: width)
            }
        }
        return bytes <= pages * pageSize ? .enough : .leafFull
    }

    private func stringBytes(_ c: Int, _ source: Source, rows: Range<Int>) -> Int {
        guard shape.columns[c].kind == .bytes else { return 0 }
        return needs[c].stringBytes + source.node.stringBytes(source.column, rows)
    }

    func largestSpill(_ column: ColumnFormat) -> Int {
        ClusterTree.maximumSpillPages(column.kind) * pageSize
    }

    /// Returns the width of the key column that these rows need, or nil if their keys are dense.
    static func keyWidth(_ first: Int64, _ last: Int64, rows: Int) -> Int? {
        let span = last &- first
        return span == Int64(rows - 1) ? nil : PackedNumbers.width(low: 0, high: span)
    }

    /// Returns the bytes of the key column, including its directory entry.
    private static func keyBytes(rows: Int, width: Int) -> Int {
        ColumnEntry.size + (rows * width + 63) / 64 * 8
    }

    /// Spills the largest column. Returns false if no column is worth spilling.
    private func spillLargest(
        _ columns: [Source], _ rows: Range<Int>, with joint: [ColumnNeeds]
    ) -> Bool {
        let total = rowCount + rows.count
        var largest = -1
        var bytes = -1
        var width = ClusterTree.RowWidth()
        for c in joint.indices where !isSpilled[c] {
            let size = joint[c].bytes(
                rows: total, stringBytes: stringBytes(c, columns[c], rows: rows))
            if size > bytes { (largest, bytes) = (c, size) }
            width.add(size, of: shape.columns[c].kind)
        }
        let keepsRowsTogether =
            !isSpilled.contains(true)
            && width.keepsRowsTogether(
                rows: total, pageSize: pageSize, leafPages: shape.mostPages)
        guard largest >= 0, !keepsRowsTogether,
            ClusterTree.isWorthSpilling(bytes: bytes, rows: total, pageSize: pageSize)
        else { return false }
        isSpilled[largest] = true
        return true
    }

    private func grow() -> Bool {
        guard pages < shape.mostPages else { return false }
        pages += 1
        return true
    }

    /// The pages that the gathered rows need. This may be less than `pages`, because the leaf may
    /// have grown for rows that did not fit in the end.
    var neededPages: Int {
        var bytes = NodeDraft.bytes(directoryOf: needs.count)
        for c in needs.indices where !isSpilled[c] {
            bytes += needs[c].bytes(rows: rowCount, stringBytes: needs[c].stringBytes)
        }
        if shape.isCluster, let width = Self.keyWidth(firstKey, lastKey, rows: rowCount) {
            bytes += Self.keyBytes(rows: rowCount, width: width)
        }
        return max(shape.pages, (bytes + pageSize - 1) / pageSize)
    }
}
