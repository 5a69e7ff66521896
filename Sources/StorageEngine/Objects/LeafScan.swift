/// A walk over the leaves of a table in the order of object keys, which is the way to evaluate
/// questions about many objects.
///
/// A leaf has a few hundred to a few thousand rows. Each step reads one leaf. The pages of a
/// spilled column are only read when that column is needed, and not even then if the leaf's
/// directory decides the result. Memory does not grow with the table, and nothing is allocated for
/// a leaf.
///
/// Used by the connection's thread. Nothing may be written during a scan.
public struct LeafScan: ~Copyable {
    let table: Table
    let pager: Pager
    private var cursor: LeafCursor
    /// The number of decrypted leaves and values that this connection held for itself when the scan
    /// began; nil if those of the scan are to be kept.
    private let passingRuns: Int?

    /// Begins in front of the leaf that contains the row at `position`.
    ///
    /// If `keepsLeaves`, what the scan has read stays valid until the connection moves on.
    /// Otherwise the contents of a leaf are valid only until ``next()``, and memory does not grow,
    /// even if an encrypted file is larger than the cache of decrypted pages.
    ///
    /// - Throws: `.damaged`.
    public init(_ table: Table, from position: Int = 0, keepsLeaves: Bool = true)
        throws(StorageError)
    {
        self.table = table
        pager = table.pager
        cursor = try LeafCursor(table.pager, try table.root, from: position)
        passingRuns = keepsLeaves ? nil : pager.passingRunCount
    }

    /// A scan that consists of one leaf only and is positioned at it.
    init(_ table: Table, at leaf: Node) {
        self.table = table
        pager = table.pager
        cursor = LeafCursor(table.pager, at: leaf)
        passingRuns = nil
    }

    /// Moves to the next leaf. Returns false after the last one.
    ///
    /// - Throws: `.damaged`.
    @inline(__always)
    public mutating func next() throws(StorageError) -> Bool {
        guard let passingRuns else { return try cursor.next() }
        let end = pager.passingRunCount
        let isThere = try cursor.next()
        pager.releasePassingRuns(from: passingRuns, to: end, but: isThere ? leaf : nil)
        return isThere
    }

    /// The current leaf, after ``next()`` has returned true.
    public var leaf: Node { cursor.leaf }

    public var rowCount: Int { cursor.leaf.rowCount }

    /// The position of the leaf's first row in the order of object keys.
    public var firstPosition: Int { cursor.firstPosition }

    /// The number of rows behind the current leaf, or of all rows before the first leaf.
    var remainingRows: Int { cursor.remaining }

    public func key(_ row: Int) -> ObjectKey { leaf.objectKey(row) }

    // MARK: Finding

    /// Sets `mask` to the rows of this leaf that match.
    ///
    /// - Throws: `.damaged`.
    public func match(_ predicate: ColumnPredicate, into mask: inout RowMask) throws(StorageError) {
        switch try place(predicate) {
        case .same(let isMatch): mask.fill(isMatch, rows: rowCount)
        case .column(let node, let column):
            prefetchNextLeaf(node, column)
            try match(predicate.test, node, column: column, into: &mask)
        }
    }

    /// The number of rows of this leaf that match. `scratch` is overwritten.
    ///
    /// - Throws: `.damaged`.
    func count(_ predicate: ColumnPredicate, scratch: inout RowMask) throws(StorageError) -> Int {
        switch try place(predicate) {
        case .same(let isMatch): return isMatch ? rowCount : 0
        case .column(let node, let column):
            prefetchNextLeaf(node, column)
            if case .numbers(let range) = predicate.test {
                return PackedColumn(node, column).count(range)
            }
            try match(predicate.test, node, column: column, into: &scratch)
            return scratch.count
        }
    }

    /// Whether all rows of this leaf match (true) or none does (false), as far as its directory
    /// tells; nil if the values decide.
    ///
    /// - Throws: `.damaged`.
    func verdict(_ predicate: ColumnPredicate) throws(StorageError) -> Bool? {
        switch try place(predicate) {
        case .same(let isMatch): return isMatch
        case .column(let node, let column):
            guard case .numbers(let range) = predicate.test else { return nil }
            return PackedZone(node, column).verdict(range, mayBeNull: node.hasNulls(column))
        }
    }

    /// Where the result of a predicate for this leaf is found.
    enum Place {
        /// In the leaf's directory: the result is the same for all rows.
        case same(isMatch: Bool)
        /// In a column of the leaf or of a spilled node.
        case column(Node, Int)
    }

    @inline(__always)
    func place(_ predicate: ColumnPredicate) throws(StorageError) -> Place {
        precondition(
            predicate.table == ObjectIdentifier(table), "a predicate of another table")
        if planted(.scansAllColumns) {
            for column in table.cluster.columns.indices { _ = try table.column(column, of: leaf) }
        }
        let leaf = leaf
        let position = leaf.columnIndex(ofID: predicate.columnID, expected: predicate.column)
        if position < 0 { return .same(isMatch: predicate.matchesDefault) }
        let isSpilled = leaf.isSpilled(position)
        let mayBeNull = predicate.allowsNull && (isSpilled || leaf.hasNulls(position))
        switch predicate.test {
        case .nothing: return .same(isMatch: false)
        case .null(let isNull): if !mayBeNull { return .same(isMatch: !isNull) }
        case .numbers(let range):
            // The kernel checks the zone itself. Checking it here avoids reading the spilled node.
            if isSpilled,
                let isMatch = PackedZone(leaf, position).verdict(range, mayBeNull: mayBeNull)
            {
                return .same(isMatch: isMatch)
            }
        case .bytes, .fixed16: break
        }
        if !isSpilled, leaf.kind(position) == predicate.kind { return .column(leaf, position) }
        guard let (node, column) = try table.column(predicate.column, of: leaf) else {
            return .same(isMatch: predicate.matchesDefault)
        }
        return .column(node, column)
    }

    /// Prefetches memory for the next steps while this leaf is processed: the same column in the
    /// next leaf, which most likely begins at the same offset of its page, and the directory of the
    /// leaf after that, which has the offset.
    @inline(__always)
    func prefetchNextLeaf(_ node: Node, _ column: Int) {
        guard node.base == leaf.base else { return }
        if let next = cursor.upcomingPage(1) {
            let offset = node.entry(column).dataOffset
            // The hardware prefetcher handles the rest of a long region.
            let byteCount = min(node.entry(column).dataBytes(rows: node.rowCount), 1024)
            pager.prefetch(page: next, offset: offset, byteCount: byteCount)
        }
        prefetchUpcomingDirectory(column)
    }

    /// Prefetches the directory, up to a column, of the leaf after the next one.
    @inline(__always)
    func prefetchUpcomingDirectory(_ column: Int) {
        if let next = cursor.upcomingPage(2) {
            let directory = ColumnEntry.directoryOffset + (column + 1) * ColumnEntry.size
            pager.prefetch(page: next, offset: 0, byteCount: min(directory, 512))
        }
    }

    private func match(
        _ test: ColumnPredicate.Test, _ node: Node, column: Int, into mask: inout RowMask
    ) throws(StorageError) {
        if test.match(node, column, into: &mask) { return }
        guard case .bytes(let test, let pattern, let isInverted) = test else { return }
        try matchElsewhere(test, pattern, in: node, column: column, into: &mask)
        if isInverted {
            mask.formComplement()
            mask.subtract(nulls: node.nullWords(column))
        }
    }

    /// Adds the matching rows whose values are too long for the node.
    private func matchElsewhere(
        _ test: BytesTest, _ pattern: UnsafeRawBufferPointer, in node: Node, column: Int,
        into mask: inout RowMask
    ) throws(StorageError) {
        for row in 0..<node.rowCount
        where node.isOverflow(column, row) && !node.isNull(column, row) {
            let (reference, length) = node.overflowReference(column, row)
            guard length == pattern.count || length > pattern.count && test != .equal else {
                continue
            }
            if test.matches(try pager.overflowBytes(reference), pattern) { mask.insert(row) }
        }
    }

    // MARK: Aggregates

    /// Adds the values of a column in this leaf to a sum made by ``Table/emptySum(_:)``.
    ///
    /// - Throws: `.damaged`.
    func add(_ column: Int, to sum: inout ColumnSum) throws(StorageError) {
        try add(column, selection: nil, count: rowCount, to: &sum)
    }

    /// Adds the values of the rows in `mask` to a sum made by ``Table/emptySum(_:)``.
    ///
    /// - Throws: `.damaged`.
    func add(
        _ column: Int, of mask: borrowing RowMask, to sum: inout ColumnSum
    ) throws(StorageError) {
        precondition(mask.rowCount == rowCount, "the set is of another leaf")
        let count = mask.count
        try add(column, selection: count == rowCount ? nil : mask.words, count: count, to: &sum)
    }

    private func add(
        _ column: Int, selection: UnsafePointer<UInt64>?, count: Int, to sum: inout ColumnSum
    ) throws(StorageError) {
        guard let (node, position) = try table.column(column, of: leaf) else {
            switch table.cluster.columns[column].defaultScalar {
            case .integer(let number): sum.add(number, times: count)
            case .double(let number): sum.add(number, times: count)
            case .float(let number): sum.add(Double(number), times: count)
            default: break
            }
            return
        }
        prefetchNextLeaf(node, position)
        sum.add(PackedColumn(node, position), selection)
    }

    /// Whether this leaf may hold a better value, as far as its directory tells.
    func mayImprove(_ extreme: ColumnExtreme, _ column: Int) -> Bool {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        return position < 0 || extreme.mayImprove(PackedZone(leaf, position))
    }

    /// Takes the values of the selected rows into account, or of all rows if `selection` is nil.
    func add(
        _ column: Int, selection: UnsafePointer<UInt64>?, to extreme: inout ColumnExtreme
    ) throws(StorageError) {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        guard position >= 0 else {
            switch table.cluster.columns[column].defaultScalar {
            case .integer(let number): extreme.add(number)
            case .double(let number): extreme.add(PackedNumbers.image(number))
            case .float(let number): extreme.add(PackedNumbers.image(number))
            default: break
            }
            return
        }
        guard extreme.mayImprove(PackedZone(leaf, position)),
            let (node, place) = try table.column(column, of: leaf)
        else { return }
        prefetchNextLeaf(node, place)
        extreme.add(PackedColumn(node, place), selection)
    }
}

extension ColumnPredicate.Test {
    /// Sets `mask` to the rows of a node that match. Returns false if values that are too long for
    /// the node are still to be tested; the test is not inverted yet then.
    @inline(__always)
    func match(_ node: Node, _ column: Int, into mask: inout RowMask) -> Bool {
        let rowCount = node.rowCount
        switch self {
        case .nothing: mask.fill(false, rows: rowCount)
        case .null(let isNull):
            mask.fill(true, rows: rowCount)
            if isNull {
                mask.formIntersection(nulls: node.nullWords(column))
            } else {
                mask.subtract(nulls: node.nullWords(column))
            }
        case .numbers(let range): PackedColumn(node, column).match(range, into: &mask)
        case .fixed16(let low, let high, let isEqual):
            Fixed16Column(node, column).match(low, high, isEqual: isEqual, into: &mask)
        case .bytes(let test, let pattern, let isInverted):
            let bytes = BytesColumn(node, column)
            if bytes.match(test, pattern, into: &mask) { return false }
            if isInverted {
                mask.formComplement()
                mask.subtract(nulls: bytes.nulls)
            }
        }
        return true
    }
}
