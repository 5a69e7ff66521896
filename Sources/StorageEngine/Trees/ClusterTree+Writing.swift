/// Changing rows. A leaf that has no room for a change first moves its largest column to a node of
/// its own ("spills" it), so that leaves keep at least `minimumRows` rows however wide the table
/// is, and scans of one column stay away from the others; a leaf with more rows is split.
extension ClusterTree {
    /// A leaf with fewer rows than this spills columns rather than split.
    static let minimumRows = 256
    /// A spilled column grows to so many pages before its leaf is split all the same, which
    /// bounds what a change of one value writes.
    static let maximumSpillPages = 4
    /// A column of fewer bytes is not spilled: its page would be mostly empty, and the leaf would
    /// gain next to nothing.
    static let smallestSpill = 64
    /// Leaves of tables with few narrow columns end here.
    static let maximumRows = 8192

    /// A value to store: overflow values are already on pages of their own, `bytes` is the
    /// reference then.
    struct StoredValue {
        var scalar: Scalar
        var isOverflow = false
    }

    /// Pages of a new leaf: more than one only if the directory alone would fill most of it.
    func leafPages(_ pageSize: Int) -> Int {
        let directory = PageHeader.size + 8 + (columns.count + 1) * 40 + columns.count * 16
        return (directory + pageSize * 3 / 4 - 1) / (pageSize * 3 / 4)
    }

    /// What became of an attempt to change a leaf.
    enum Outcome {
        case done
        /// The leaf itself has no room.
        case leafFull
        /// A spilled column has reached its limit: spilling more would not help.
        case columnFull
    }
}
