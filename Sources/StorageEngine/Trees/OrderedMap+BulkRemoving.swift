/// Entries of a map to be removed together: gathered in any order, removed in the map's.
struct MapEntries {
    private struct Entry {
        /// Integer keys: the key. Bytes: where they begin.
        var first: Int64
        var length: Int32
        var second: Int64
    }

    private let kind: ColumnKind
    private var entries: ContiguousArray<Entry> = []
    private var bytes: ContiguousArray<UInt8> = []

    init(firstKeyKind: ColumnKind) { kind = firstKeyKind }

    var count: Int { entries.count }

    mutating func append(_ first: OrderedMap.FirstKey, _ second: Int64) {
        switch first {
        case .integer(let key):
            entries.append(Entry(first: key, length: 0, second: second))
        case .bytes(let key):
            entries.append(
                Entry(first: Int64(bytes.count), length: Int32(key.count), second: second))
            bytes.append(contentsOf: key)
        }
    }

    /// Calls `body` with the entries in the map's order: a function that gives the n-th.
    mutating func withSorted<R>(
        _ body: ((Int) -> (OrderedMap.FirstKey, Int64)) throws -> R
    ) rethrows -> R {
        if kind == .integer {
            entries.sort { ($0.first, $0.second) < ($1.first, $1.second) }
            return try entries.withUnsafeBufferPointer { entries in
                try body { (.integer(entries[$0].first), entries[$0].second) }
            }
        }
        let keys = bytes
        return try keys.withUnsafeBytes { bytes in
            func key(_ entry: Entry) -> UnsafeRawBufferPointer {
                let start = Int(entry.first)
                return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(entry.length)])
            }
            entries.sort {
                let order = compare(key($0), key($1))
                return order == 0 ? $0.second < $1.second : order < 0
            }
            return try entries.withUnsafeBufferPointer { entries in
                try body { (.bytes(key(entries[$0])), entries[$0].second) }
            }
        }
    }
}

extension OrderedMap {
    /// Removes entries, all of which must exist, leaf by leaf.
    func remove(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ entries: inout MapEntries
    ) throws {
        let count = entries.count
        try entries.withSorted { entry in
            var selection = RowSelection()
            var next = 0
            while next < count {
                let (first, second) = entry(next)
                if root.reference.isNone { throw missingEntry(writer, root) }
                let leaf = try writer.descend(&root, format) { childRow($0, first, second) }
                let before = next
                selection.begin()
                while next < count {
                    let (first, second) = entry(next)
                    guard let row = self.row(leaf.reading, first, second, from: selection.end)
                    else { break }
                    selection.remove(row)
                    next += 1
                }
                if next == before { throw missingEntry(writer, root) }
                selection.finish(rowCount: leaf.reading.rowCount)
                try writer.addToCounts(&root, -selection.removed.count)
                if selection.kept.isEmpty {
                    try writer.removeLeaf(&root, format)
                } else {
                    leaf.keepRows(of: selection)
                    writer.rowsMoved()
                }
            }
        }
    }

    /// The row of an entry in a leaf, from `start` on. Cheapest when it is near.
    @inline(__always)
    private func row(
        _ leaf: Node, _ first: FirstKey, _ second: Int64, from start: Int
    ) -> Int? {
        let rows = leaf.rowCount
        for row in start..<max(start, min(start + 4, rows))
        where isEqual(leaf, 0, row, first, second) { return row }
        let row = lowerBound(leaf, 0, first, second, from: start)
        return row < rows && isEqual(leaf, 0, row, first, second) ? row : nil
    }

    private func missingEntry(_ writer: TreeWriter, _ root: TreeRoot) -> StorageError {
        writer.pager.damaged(root.reference.page, "a map lacks an entry that belongs in it")
    }
}
