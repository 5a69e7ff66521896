/// Fills leaves with the rows of other leaves, which come in order.
///
/// Rows are gathered as pieces of their old leaves until no more fit. Then each column is laid out
/// once, in the narrowest encoding that holds it. The leaf is thus as full as possible, and as
/// small as one that was filled in that order. It is built in the packer's own memory, so that the
/// caller can change references in it, and end transactions, before adding it to one.
///
/// As in a leaf to which objects are appended, columns are spilled while the leaf has fewer than
/// `ClusterTree.minimumRows` rows, and then it grows.
final class LeafPacker {
    /// The structure of the packed leaves.
    struct Shape {
        let treeID: UInt32
        let columns: [ColumnFormat]
        /// The pages of a leaf that has not grown.
        let pages: Int
        let maximumRows: Int
        /// Whether rows have object keys, columns may be spilled, and leaves may grow.
        let isCluster: Bool
        /// Whether the first column is one of ascending keys (``SharedPrefix``).
        var sharesPrefix = false

        var mostPages: Int { isCluster ? pages + ClusterTree.maximumGrowth : pages }
    }

    /// The location of a column's rows: a leaf, or the separate node of a spilled column.
    typealias Source = (node: Node, column: Int)

    struct Piece {
        let leaf: Node
        let rows: Range<Int>
    }

    let shape: Shape
    let pageSize: Int
    /// The encoding that the gathered rows need, for each column.
    var needs: [ColumnNeeds]
    var isSpilled: [Bool]
    /// The pages that the leaf may take.
    var pages: Int
    var pieces: [Piece] = []
    /// The sources of all pieces: for each piece, one source per column.
    var sources: [Source] = []
    var rowCount = 0
    var firstKey: Int64 = 0
    var lastKey: Int64 = 0

    let leafBuffer: UnsafeMutableRawPointer
    /// The nodes of spilled columns; nil for a column that has never been spilled.
    var spillBuffers: [UnsafeMutableRawPointer?]

    init(_ shape: Shape, pageSize: Int) {
        self.shape = shape
        self.pageSize = pageSize
        needs = Self.needs(shape)
        isSpilled = Array(repeating: false, count: shape.columns.count)
        pages = shape.pages
        leafBuffer = .allocate(byteCount: shape.mostPages * pageSize, alignment: 16)
        spillBuffers = Array(repeating: nil, count: shape.columns.count)
    }

    /// Returns the needs of all columns before any rows are gathered.
    private static func needs(_ shape: Shape) -> [ColumnNeeds] {
        shape.columns.enumerated().map { c, column in
            ColumnNeeds(
                kind: column.kind, mayBeRamp: shape.columns.count > 1,
                sharesPrefix: shape.sharesPrefix && c == 0)
        }
    }

    deinit {
        leafBuffer.deallocate()
        for buffer in spillBuffers { buffer?.deallocate() }
    }

    /// Discards the gathered rows.
    func removeAll() {
        needs = Self.needs(shape)
        for c in isSpilled.indices { isSpilled[c] = false }
        pages = shape.pages
        pieces.removeAll(keepingCapacity: true)
        sources.removeAll(keepingCapacity: true)
        rowCount = 0
    }
}

// MARK: Gathering

extension LeafPacker {
    /// Gathers rows of a leaf from `row` on, and returns how many: fewer than remain if the packed
    /// leaf is full. The rows must not move until the packed leaf is laid out. An empty packer
    /// takes at least one row, unless a row of a malicious file fills more than a leaf. `columns`
    /// has the source of each column.
    func gather(_ leaf: Node, _ columns: [Source], from row: Int) -> Int {
        var limit = min(leaf.rowCount - row, shape.maximumRows - rowCount)
        while limit > 0 {
            let wanted = row..<row + limit
            let joint = needs(with: columns, wanted)
            let count = mostRows(leaf, columns, of: wanted, joint: joint)
            if count > 0 {
                let taken = row..<row + count
                var needs = joint
                if count < limit {
                    needs = self.needs(with: columns, taken)
                    // Room was looked for with the prefixes of all wanted rows.
                    for c in needs.indices { needs[c].limitPrefix(toThatOf: joint[c]) }
                }
                add(leaf, columns, rows: taken, joint: needs)
                return count
            }
            if rowCount > 0 { return 0 }
            // The encodings that all these rows need may leave no room even for one row, so try
            // fewer rows.
            limit /= 2
        }
        return 0
    }

    private func needs(with columns: [Source], _ rows: Range<Int>) -> [ColumnNeeds] {
        var joint = needs
        for c in joint.indices {
            if isSpilled[c] { joint[c].forbidRamp() }
            joint[c].include(columns[c].node, columns[c].column, in: rows)
        }
        return joint
    }

    private func add(
        _ leaf: Node, _ columns: [Source], rows: Range<Int>, joint: [ColumnNeeds]
    ) {
        needs = joint
        pieces.append(Piece(leaf: leaf, rows: rows))
        sources.append(contentsOf: columns)
        if shape.isCluster {
            if rowCount == 0 { firstKey = leaf.objectKey(rows.lowerBound).rawValue }
            lastKey = leaf.objectKey(rows.upperBound - 1).rawValue
        }
        rowCount += rows.count
    }
}
