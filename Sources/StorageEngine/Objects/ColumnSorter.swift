/// A reader of the values that a table is sorted by. It visits the rows of each leaf that have a
/// value, and collects nulls apart.
struct ColumnSorter {
    private let table: Table
    private let column: Int
    private let ascending: Bool
    private let limit: Int
    private let isNull: ColumnPredicate?
    private var nulls: [ObjectKey] = []

    init(_ table: Table, _ column: Int, ascending: Bool, limit: Int = .max) throws(StorageError) {
        self.table = table
        self.column = column
        self.ascending = ascending
        self.limit = limit
        isNull = table.checks[column].allowsNull ? try table.predicate(column, .isNull) : nil
    }

    /// All keys in order: those given, which have a value, and the nulls.
    func withNulls(_ keys: [ObjectKey]) -> [ObjectKey] {
        Array((ascending ? nulls + keys : keys + nulls).prefix(limit))
    }

    /// Visits the leaves that have rows that match and are not null.
    mutating func forEachLeaf(
        _ predicate: ColumnPredicate?,
        _ body: (_ scan: borrowing LeafScan, _ mask: inout RowMask) throws(StorageError) -> Void
    ) throws(StorageError) {
        var mask = RowMask()
        var nullMask = RowMask()
        // Strings and data are compared in place after all leaves have been visited, so the leaves
        // are kept.
        var scan = try LeafScan(table, keepsLeaves: !table.checks[column].kind.isPacked)
        while try scan.next() {
            if let predicate {
                try scan.match(predicate, into: &mask)
            } else {
                mask.fill(true, rows: scan.rowCount)
            }
            if let isNull {
                try scan.match(isNull, into: &nullMask)
                nullMask.formIntersection(mask)
                let leaf = scan.leaf
                nullMask.forEachRow { if nulls.count < limit { nulls.append(leaf.objectKey($0)) } }
                mask.subtract(nullMask)
            }
            if !mask.isEmpty { try body(scan, &mask) }
        }
    }
}

/// The sort entries of one leaf.
extension LeafScan {
    /// Visits the numbers of the selected rows.
    @inline(__always)
    func forEachNumber(
        _ column: Int, ascending: Bool, in mask: borrowing RowMask,
        _ body: (NumberEntry) throws(StorageError) -> Void
    ) throws(StorageError) {
        let leaf = leaf
        let turned: UInt64 = ascending ? 0 : .max
        guard let (node, position) = try table.column(column, of: leaf) else {
            let rank = SortRank.of(table.cluster.columns[column].defaultScalar) ^ turned
            try mask.forEachRow { row throws(StorageError) in
                try body(NumberEntry(rank: rank, key: leaf.objectKey(row)))
            }
            return
        }
        let packed = PackedColumn(node, position)
        let selection = UnsafePointer(mask.words)
        @inline(__always) func visit(_ rank: (Int64) -> UInt64) throws(StorageError) {
            try packed.forEach(selection) { row, number throws(StorageError) in
                try body(NumberEntry(rank: rank(number) ^ turned, key: leaf.objectKey(row)))
            }
        }
        if packed.kind == .integer {
            try visit { SortRank.of($0) }
        } else if !packed.zone.holdsImages {
            try visit { SortRank.of(Double($0)) }
        } else if packed.kind == .double {
            try visit { SortRank.of(PackedNumbers.double(image: $0)) }
        } else {
            try visit { SortRank.of(Double(PackedNumbers.float(image: $0))) }
        }
    }

    /// Removes rows whose numbers sort after `rank`. Rows with an equal number, which come later in
    /// key order, are removed too unless `includesEqual`. This is only an optimization, and may or
    /// may not remove nulls.
    func keepNumbers(
        _ column: Int, before rank: UInt64, includesEqual: Bool = false, ascending: Bool,
        in mask: inout RowMask, scratch: inout RowMask
    ) throws(StorageError) {
        let position = leaf.columnIndex(ofID: table.columnID(column), expected: column)
        guard position >= 0 else { return }
        let zone = PackedZone(leaf, position)
        let kind = table.checks[column].kind
        let last = Int64(bitPattern: (ascending ? rank : ~rank) ^ 1 << 63)
        let number = PackedNumbers.double(image: last)
        if kind != .integer, number.isNaN { return }
        let edges: NumberEdges? =
            switch kind {
            case .integer: NumberEdges(last)
            case .float: NumberEdges(Float(number))
            default: NumberEdges(number)
            }
        var range: NumberRange
        if ascending {
            // NaN sorts first but satisfies no comparison, so the rows to remove are matched and
            // the result inverted.
            range = NumberRange(includesEqual ? .greater : .greaterOrEqual, edges)
            range.isInverted = true
        } else {
            range = NumberRange(includesEqual ? .greaterOrEqual : .greater, edges)
        }
        if let verdict = zone.verdict(range, mayBeNull: false) {
            if !verdict { mask.fill(false, rows: rowCount) }
            return
        }
        guard let (node, place) = try table.column(column, of: leaf) else { return }
        PackedColumn(node, place).match(range, into: &scratch)
        mask.formIntersection(scratch)
    }

    /// Visits the bytes of the selected rows.
    @inline(__always)
    func forEachBytes(
        _ column: Int, ascending: Bool, in mask: borrowing RowMask, _ body: (BytesEntry) -> Void
    ) throws(StorageError) {
        let leaf = leaf
        let turned: UInt64 = ascending ? 0 : .max
        @inline(__always) func visit(_ row: Int, _ bytes: UnsafeRawBufferPointer) {
            body(
                BytesEntry(
                    rank: SortRank.of(bytes) ^ turned, key: leaf.objectKey(row), bytes: bytes,
                    isDescending: !ascending))
        }
        guard let (node, position) = try table.column(column, of: leaf) else {
            // All rows have the same default, so its value does not affect the order.
            mask.forEachRow { visit($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
            return
        }
        if table.checks[column].kind == .fixed16 {
            mask.forEachRow {
                visit($0, UnsafeRawBufferPointer(start: node.fixed16(position, $0), count: 16))
            }
            return
        }
        try mask.forEachRow { row throws(StorageError) in
            visit(
                row,
                node.isOverflow(position, row)
                    ? try pager.overflowBytes(node.overflowReference(position, row).0)
                    : node.bytes(position, row))
        }
    }
}
