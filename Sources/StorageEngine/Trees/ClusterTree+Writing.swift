/// Changing rows. A leaf of fewer than `minimumRows` rows that has no room for a change first moves
/// its largest column to a node of its own ("spills" it), so that scans of one column stay away from
/// wide ones. When only columns are left that would leave their pages mostly empty, the leaf grows.
/// So leaves keep many rows however wide the table is. A leaf with more rows is split.
extension ClusterTree {
    /// A leaf with fewer rows than this spills columns, or grows, rather than split.
    static let minimumRows = 256
    /// A spilled column grows to so many pages before its leaf is split all the same, which
    /// bounds what a change of one value writes.
    static let maximumSpillPages = 4
    /// A leaf grows by so many pages, which bounds likewise what a change of one value writes.
    static let maximumGrowth = 3
    /// Rows so wide that a leaf as large as it gets would have fewer of them spill columns.
    static let minimumRowsTogether = 8
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

    /// Whether a column is worth pages of its own: `minimumRows` rows of it fill half a page. Those
    /// of narrower columns would be mostly empty.
    static func isWorthSpilling(bytes: Int, rows: Int, pageSize: Int) -> Bool {
        // A single row has no other way to get room.
        rows <= 1 || bytes * minimumRows >= rows * (pageSize / 2)
    }

    /// What rows of a leaf take.
    struct RowWidth {
        /// In values of varying length, with the offsets of their ends.
        private var bytesOfText = 0
        private var bytes = 0

        mutating func add(_ bytes: Int, of kind: ColumnKind) {
            self.bytes += bytes
            if kind == .bytes { bytesOfText += bytes }
        }

        /// Whether the columns of these rows stay in their leaf, which is split when it has grown to
        /// `leafPages`. So it is where values of varying length are wide: pages of their own
        /// would be full long before the leaf has `minimumRows` rows, and an object that is
        /// inserted would rewrite those of all its columns, one that is read would visit them. At
        /// least `minimumRowsTogether` rows have to fit. Not asked of a leaf that has spilled a
        /// column already.
        func keepsRowsTogether(rows: Int, pageSize: Int, leafPages: Int) -> Bool {
            bytesOfText * minimumRows > rows * maximumSpillPages * pageSize
                && bytes * minimumRowsTogether <= rows * leafPages * pageSize
        }
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
