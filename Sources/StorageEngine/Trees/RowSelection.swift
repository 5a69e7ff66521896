/// The rows of a node that are to be removed. Reused from node to node, so that selecting rows does
/// not allocate.
struct RowSelection {
    /// The rows that stay and the rows that go. Both ascend.
    private(set) var kept: ContiguousArray<Int32> = []
    private(set) var removed: ContiguousArray<Int32> = []

    mutating func begin() {
        kept.removeAll(keepingCapacity: true)
        removed.removeAll(keepingCapacity: true)
    }

    /// The row that follows the last removed one.
    var end: Int { Int(removed.last ?? -1) + 1 }

    /// Selects a row behind all those selected before.
    @inline(__always)
    mutating func remove(_ row: Int) {
        for between in end..<row { kept.append(Int32(truncatingIfNeeded: between)) }
        removed.append(Int32(truncatingIfNeeded: row))
    }

    /// Completes the selection: the remaining rows stay.
    mutating func finish(rowCount: Int) {
        for row in end..<rowCount { kept.append(Int32(truncatingIfNeeded: row)) }
    }

    /// Whether the kept rows are consecutive.
    var keepsNeighbours: Bool {
        guard let first = kept.first, let last = kept.last else { return true }
        return Int(last - first) == kept.count - 1
    }
}

extension MutableNode {
    func hasRoom(toKeep selection: RowSelection, andColumn addsColumn: Bool) -> Bool {
        selection.kept.withUnsafeBufferPointer { hasRoom(toKeep: $0, andColumn: addsColumn) }
    }

    func keepRows(of selection: RowSelection) {
        selection.kept.withUnsafeBufferPointer { keepRows($0) }
    }
}
