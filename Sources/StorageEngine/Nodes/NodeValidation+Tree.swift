/// What trees rely on in a node, as far as it can be seen in the node itself.
///
/// Checked once per process for each page and birth, like its structure. That a node has the columns
/// of the tree that leads to it is seen each time it is reached, at the cost of a comparison or two
/// (`TreeFormat.describes`): the same page may be reached from two trees of a file made to harm.
extension Node {
    /// More rows than any tree of any file has. Sums of a branch's counts do not overflow.
    static let maximumRowsOfTree: Int64 = 1 << 48
    /// Keys of objects stay below this, so that sums of a few do not overflow.
    static let maximumKey = Int64.max >> 2

    /// A full check of a run of the file: `nil` when it is a node of some tree, safe to read, to
    /// change, and to search.
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

    /// Object keys ascend from the low key on. Only a cluster leaf has a column of keys; in others the
    /// low key is 0.
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

    /// Nothing is younger than what refers to it: pages are copied when they are changed, and those
    /// that refer to them with them.
    private func problemOfBirths() -> String? {
        for column in 0..<columnCount {
            if isSpilled(column) {
                if let problem = problem(ofReference: spillReference(column)) {
                    return "Column \(column) \(problem)"
                }
            } else if kind(column) == .bytes, offsetsAtOnce(entry(column)).markOverflow {
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
