/// Changing rows. If a leaf of fewer than `minimumRows` rows a page has no room for a change, it
/// first moves its largest column to a node of its own ("spills" it), so that scans of one column
/// do not touch wide ones. Columns whose own pages would be mostly empty are not spilled. Then the
/// leaf grows, and once it has its largest size it is split. Leaves thus keep many rows however
/// wide the table is, and scans of narrow columns have long stretches to read.
extension ClusterTree {
    /// The rows of a page of a leaf below which it spills columns before it grows. A leaf that
    /// begins with several pages thus spills what one that grows would have.
    static let minimumRows = 256
    /// The most pages by which a leaf grows, which bounds what a change of one value writes.
    static let maximumGrowth = 3
    /// The fewest rows that a leaf of the largest size must hold for its rows to stay together.
    /// Wider rows spill columns.
    static let minimumRowsTogether = 8
    /// The most rows of a leaf, which limits leaves of tables with few narrow columns.
    static let maximumRows = 8192

    /// A value to store. An overflow value is already on pages of its own, and `scalar` holds the
    /// bytes of its reference.
    struct StoredValue {
        var scalar: Scalar
        var isOverflow = false
    }

    /// Returns the pages of a new leaf: more than one only if the directory would fill most of a
    /// page.
    func leafPages(_ pageSize: Int) -> Int {
        let directory = PageHeader.size + 8 + (columns.count + 1) * 40 + columns.count * 16
        return (directory + pageSize * 3 / 4 - 1) / (pageSize * 3 / 4)
    }

    /// Returns the most pages of a spilled column. A column that needs more causes a split of its
    /// leaf, which bounds what a change of one value writes.
    ///
    /// The heap of a column of bytes has at most 32 KiB, which is as much as the texts of a few
    /// thousand rows, the rows of a leaf of narrow columns.
    static func maximumSpillPages(_ kind: ColumnKind) -> Int { kind == .bytes ? 8 : 4 }

    /// Whether a column is worth pages of its own: whether `minimumRows` rows of it fill half a
    /// page. The pages of narrower columns would be mostly empty.
    static func isWorthSpilling(bytes: Int, rows: Int, pageSize: Int) -> Bool {
        // Spilling is the only way to make room for a single row.
        rows <= 1 || bytes * minimumRows >= rows * (pageSize / 2)
    }

    /// The bytes that rows of a leaf take.
    struct RowWidth {
        /// Bytes in values of varying length, including their end offsets.
        private var bytesOfText = 0
        private var bytes = 0

        mutating func add(_ bytes: Int, of kind: ColumnKind) {
            self.bytes += bytes
            if kind == .bytes { bytesOfText += bytes }
        }

        /// Whether the columns of these rows stay in their leaf, which is split once it has grown
        /// to `leafPages`. True where values of varying length are wide, so that `minimumRows` rows
        /// would fill half of what a spilled column may have: the leaf would have few rows all the
        /// same, each insertion would rewrite the pages of all columns, and each read of an object
        /// would visit them. At least
        /// `minimumRowsTogether` rows must fit. Not meaningful for a leaf that has already spilled
        /// a column.
        func keepsRowsTogether(rows: Int, pageSize: Int, leafPages: Int) -> Bool {
            bytesOfText * minimumRows > rows * maximumSpillPages(.bytes) / 2 * pageSize
                && bytes * minimumRowsTogether <= rows * leafPages * pageSize
        }
    }

    /// The outcome of an attempt to change a leaf.
    enum Outcome {
        case done
        /// The leaf itself has no room.
        case leafFull
        /// A spilled column has reached its limit, so spilling more columns would not help.
        case columnFull
    }
}
