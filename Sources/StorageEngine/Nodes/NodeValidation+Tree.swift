/// Checks of what trees rely on in a node, as far as the node itself shows it.
///
/// They run once per process for each page and birth, together with the structural check. Whether a
/// node has the columns of the tree that leads to it is checked each time it is reached, at the
/// cost of a comparison or two (`TreeFormat.describes`), because in a malicious file two trees may
/// reach the same page.
extension Node {
    /// An upper bound on the rows of any tree, low enough that sums of a branch's counts do not
    /// overflow.
    static let maximumRowsOfTree: Int64 = 1 << 48
    /// An upper bound on object keys, low enough that sums of a few keys do not overflow.
    static let maximumKey = Int64.max >> 2

    /// Checks a run of the file completely. Returns `nil` when it is a node of some tree that is
    /// safe to read, to change and to search.
    static func problem(ofStored run: UnsafeRawBufferPointer) -> String? {
        if let problem = problem(in: run) { return problem }
        let node = Node(run.baseAddress!)
        guard node.rowCount > 0 else { return "It has no rows." }
        return (node.level > 0 ? node.problemOfBranch() : node.problemOfKeys())
            ?? node.problemOfBirths()
    }

    private func problemOfBranch() -> String? {
        for column in [BranchColumn.page, BranchColumn.birth, BranchColumn.count] {
            guard hasInline(column, ColumnTag(id: UInt16(column), kind: .integer)) else {
                return "It lacks column \(column) of a branch."
            }
        }
        var sum: Int64 = 0
        for row in 0..<rowCount {
            let count = integer(BranchColumn.count, row)
            guard count > 0, count <= Self.maximumRowsOfTree - sum else {
                return "Row \(row) cannot have \(count) rows below it."
            }
            sum += count
            if let problem = problem(ofReference: child(row)) { return "Row \(row) \(problem)" }
        }
        return nil
    }

    /// Checks that object keys ascend from the low key on. Only a cluster leaf has a column of
    /// keys; the low key of other nodes is 0.
    private func problemOfKeys() -> String? {
        guard lowKey >= 0, lowKey <= Self.maximumKey else { return "No object has key \(lowKey)." }
        for column in 0..<columnCount where entry(column).id == Self.keyColumnID {
            let tag = ColumnTag(id: Self.keyColumnID, kind: .integer)
            guard column == columnCount - 1, hasInline(column, tag), !hasNulls(column) else {
                return "Its column of keys is not one."
            }
            var previous: Int64 = -1
            for row in 0..<rowCount {
                let key = integer(column, row)
                guard key > previous, key <= Self.maximumKey - lowKey else {
                    return "The key of row \(row) is out of order."
                }
                previous = key
            }
        }
        return nil
    }

    /// Checks that no reference in this node leads to a younger page. A changed page is copied, and
    /// so are the pages that refer to it, so a sound node is at least as young as everything it
    /// refers to.
    private func problemOfBirths() -> String? {
        for column in 0..<columnCount {
            if isSpilled(column) {
                if let problem = problem(ofReference: spillReference(column)) {
                    return "Column \(column) \(problem)"
                }
            } else if kind(column) == .bytes, mayHaveOverflow(column) {
                for row in 0..<rowCount where isOverflow(column, row) {
                    if let problem = problem(ofReference: overflowReference(column, row).0) {
                        return "Column \(column), row \(row) \(problem)"
                    }
                }
            }
        }
        return nil
    }

    private func problem(ofReference reference: PageReference) -> String? {
        reference.birth >= 1 && reference.birth <= birth
            ? nil : "leads to a page of version \(reference.birth)."
    }
}
