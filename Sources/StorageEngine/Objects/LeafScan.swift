/// A walk over the leaves of a table, in the order of object keys: the way to answer questions
/// about many objects.
///
/// A leaf is a few hundred to a few thousand rows. Each step reads one leaf; the pages of a column
/// that has pages of its own are only read when that column is asked for, and not even then where
/// the leaf's directory knows the answer. Memory does not grow with the table, and nothing is
/// allocated for a leaf.
///
/// Used by the connection's thread. Nothing may be written while a scan goes on.
public struct LeafScan: ~Copyable {
    let table: Table
    let pager: Pager
    private var cursor: LeafCursor
    /// How many decrypted leaves and values this connection had of its own when the scan began; nil
    /// if those of the scan are to stay.
    private let passingRuns: Int?

    /// Begins in front of the leaf that holds the row at `position`.
    ///
    /// `keepsLeaves`: what the scan has read stays valid until the connection moves on. Else that
    /// of one leaf is valid until ``next()``, and memory does not grow, also where an encrypted
    /// file is larger than what is kept decrypted of it.
    ///
    /// - Throws: `.damaged`.
    public init(_ table: Table, from position: Int = 0, keepsLeaves: Bool = true) throws {
        self.table = table
        pager = table.pager
        cursor = try LeafCursor(table.pager, try table.root, from: position)
        passingRuns = keepsLeaves ? nil : pager.passingRunCount
    }

    /// Stands at one leaf, behind which there is none.
    init(_ table: Table, at leaf: Node) {
        self.table = table
        pager = table.pager
        cursor = LeafCursor(table.pager, at: leaf)
        passingRuns = nil
    }

    /// Goes on to the next leaf; false behind the last one.
    ///
    /// - Throws: `.damaged`.
    @inline(__always)
    public mutating func next() throws -> Bool {
        guard let passingRuns else { return try cursor.next() }
        let end = pager.passingRunCount
        let isThere = try cursor.next()
        pager.releasePassingRuns(from: passingRuns, to: end, but: isThere ? leaf : nil)
        return isThere
    }

    /// The leaf at which the scan stands, after ``next()`` has returned true.
    public var leaf: Node { cursor.leaf }

    public var rowCount: Int { cursor.leaf.rowCount }

    /// The position of the leaf's first row in the order of object keys.
    public var firstPosition: Int { cursor.firstPosition }

    public func key(_ row: Int) -> ObjectKey { leaf.objectKey(row) }

    // MARK: Finding

    /// Makes `mask` the set of this leaf's rows that match.
    ///
    /// - Throws: `.damaged`.
    public func match(_ predicate: ColumnPredicate, into mask: inout RowMask) throws {
        switch try place(predicate) {
        case .same(let isMatch): mask.fill(isMatch, rows: rowCount)
        case .column(let node, let column):
            prefetchNextLeaf(node, column)
            try match(predicate.test, node, column, into: &mask)
        }
    }

    /// How many rows of this leaf match. `scratch` is overwritten.
    ///
    /// - Throws: `.damaged`.
    public func count(_ predicate: ColumnPredicate, scratch: inout RowMask) throws -> Int {
        switch try place(predicate) {
        case .same(let isMatch): return isMatch ? rowCount : 0
        case .column(let node, let column):
            prefetchNextLeaf(node, column)
            if case .numbers(let range) = predicate.test {
                return PackedColumn(node, column).count(range)
            }
            try match(predicate.test, node, column, into: &scratch)
            return scratch.count
        }
    }

    /// Whether all rows of this leaf match, or none does, as far as its directory tells; nil where
    /// values decide.
    ///
    /// - Throws: `.damaged`.
    func verdict(_ predicate: ColumnPredicate) throws -> Bool? {
        switch try place(predicate) {
        case .same(let isMatch): return isMatch
        case .column(let node, let column):
            guard case .numbers(let range) = predicate.test else { return nil }
            return PackedZone(node, column).verdict(range, mayBeNull: node.hasNulls(column))
        }
    }

    /// Where the answer for this leaf is found.
    private enum Place {
        /// All rows are alike, as the leaf itself tells.
        case same(isMatch: Bool)
        /// In a column of the leaf, or of a node of its own.
        case column(Node, Int)
    }

    @inline(__always)
    private func place(_ predicate: ColumnPredicate) throws -> Place {
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
            // The kernel asks the zone itself; here it saves the visit of another node.
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

    /// Asks for the memory of the same column in the next leaf, which most likely begins at the
    /// same place of its page, while this one is worked on; and for the directory of the leaf
    /// after that, which says where.
    @inline(__always)
    private func prefetchNextLeaf(_ node: Node, _ column: Int) {
        guard node.base == leaf.base else { return }
        if let next = cursor.upcomingPage(1) {
            let offset = node.entry(column).dataOffset
            // Long regions are read ahead by the processor itself.
            let byteCount = min(node.entry(column).dataBytes(rows: node.rowCount), 1024)
            pager.prefetch(page: next, offset: offset, byteCount: byteCount)
        }
        if let next = cursor.upcomingPage(2) {
            let directory = ColumnEntry.directoryOffset + (column + 1) * ColumnEntry.size
            pager.prefetch(page: next, offset: 0, byteCount: min(directory, 512))
        }
    }

    private func match(
        _ test: ColumnPredicate.Test, _ node: Node, _ column: Int, into mask: inout RowMask
    ) throws {
        switch test {
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
            if bytes.match(test, pattern, into: &mask) {
                try matchElsewhere(test, pattern, node, column, into: &mask)
            }
            if isInverted {
                mask.formComplement()
                mask.subtract(nulls: bytes.nulls)
            }
        }
    }

    /// Adds the matching values that are too long for the node.
    private func matchElsewhere(
        _ test: BytesTest, _ pattern: UnsafeRawBufferPointer, _ node: Node, _ column: Int,
        into mask: inout RowMask
    ) throws {
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

    /// Adds the values of a column in this leaf to a sum that ``Table/emptySum(_:)`` made.
    ///
    /// - Throws: `.damaged`.
    public func add(_ column: Int, to sum: inout ColumnSum) throws {
        try add(column, selection: nil, count: rowCount, to: &sum)
    }

    /// The same for the rows of a set.
    ///
    /// - Throws: `.damaged`.
    public func add(
        _ column: Int, of mask: borrowing RowMask, to sum: inout ColumnSum
    ) throws {
        precondition(mask.rowCount == rowCount, "the set is of another leaf")
        let count = mask.count
        try add(column, selection: count == rowCount ? nil : mask.words, count: count, to: &sum)
    }

    private func add(
        _ column: Int, selection: UnsafePointer<UInt64>?, count: Int, to sum: inout ColumnSum
    ) throws {
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

    /// Takes the values of the selected rows (nil: of all) into account.
    func add(
        _ column: Int, selection: UnsafePointer<UInt64>?, to extreme: inout ColumnExtreme
    ) throws {
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
