import CColumnKernels

/// A column of packed numbers, as the kernels see it. Valid as long as its node.
///
/// The kernels read nothing outside the column's regions, whose size follows from the node's rows.
/// `Node.problem(in:)` has checked both.
struct PackedColumn {
    let zone: PackedZone
    let kind: ColumnKind
    private let packed: realm_packed_column
    private let kernels: ColumnKernels

    @inline(__always)
    init(_ node: Node, _ column: Int, kernels: ColumnKernels = .best) {
        zone = PackedZone(node, column)
        kind = node.kind(column)
        packed = realm_packed_column(
            data: node.packedData(column).data, nulls: node.nullWords(column), rows: node.rowCount,
            width: UInt32(truncatingIfNeeded: zone.width))
        self.kernels = kernels
    }

    @inline(__always) var rowCount: Int { packed.rows }
    @inline(__always) var nulls: UnsafePointer<UInt64>? { packed.nulls }

    // MARK: Comparing

    @inline(__always)
    func count(_ range: NumberRange) -> Int {
        switch zone.coverage(range) {
        case .none: return range.isInverted ? presentCount(nil) : 0
        case .all: return range.isInverted ? 0 : presentCount(nil)
        case .deltas(let low, let span):
            if zone.isRamp {
                let members = rows(low, span).count
                return range.isInverted ? rowCount - members : members
            }
            return kernels.table.pointee.count(
                packed, realm_delta_range(low: low, span: span, inverted: range.isInverted))
        }
    }

    func match(_ range: NumberRange, into mask: inout RowMask) {
        let isMember: Bool
        switch zone.coverage(range) {
        case .none: isMember = range.isInverted
        case .all: isMember = !range.isInverted
        case .deltas(let low, let span):
            if zone.isRamp {
                mask.fill(false, rows: rowCount)
                mask.insert(rows(low, span))
                if range.isInverted { mask.formComplement() }
                return
            }
            mask.resize(rows: rowCount)
            _ = kernels.table.pointee.match(
                packed, realm_delta_range(low: low, span: span, inverted: range.isInverted),
                mask.words)
            return
        }
        mask.fill(isMember, rows: rowCount)
        if isMember { mask.subtract(nulls: nulls) }
    }

    /// Returns the rows of a ramp whose deltas are in `low...low + span`.
    @inline(__always)
    private func rows(_ low: UInt64, _ span: UInt64) -> Range<Int> {
        Int(low)..<Int(low &+ span) + 1
    }

    /// Returns the number of selected rows that are not null.
    func presentCount(_ selection: UnsafePointer<UInt64>?) -> Int {
        guard selection != nil || nulls != nil else { return rowCount }
        var count = 0
        for i in 0..<wordCount { count += presentWord(i, selection).nonzeroBitCount }
        return count
    }

    // MARK: Adding up

    /// Returns the exact sum of the numbers, and their count.
    func sum(_ selection: UnsafePointer<UInt64>?) -> (sum: Int128, count: Int) {
        if zone.width == 0 {
            let count = presentCount(selection)
            let deltas = zone.isRamp ? sumOfRows(selection) : 0
            return (Int128(zone.base) * Int128(count) + Int128(deltas), count)
        }
        let deltas = kernels.table.pointee.sum(packed, selection)
        let sum = Int128(deltas.low) + Int128(deltas.high) << 32
        return (sum + Int128(zone.base) * Int128(deltas.count), deltas.count)
    }

    /// Returns the sum of the row numbers, which are a ramp's deltas.
    private func sumOfRows(_ selection: UnsafePointer<UInt64>?) -> Int {
        guard selection != nil else { return rowCount * (rowCount - 1) / 2 }
        var sum = 0
        forEachRow(selection) { sum &+= $0 }
        return sum
    }

    // MARK: The least and the greatest

    /// Returns the least and the greatest number, or image of a number; nil if all rows are null.
    func bounds(_ selection: UnsafePointer<UInt64>?) -> (low: Int64, high: Int64)? {
        if zone.isRamp {
            guard let rows = ends(selection) else { return nil }
            return (zone.base + Int64(rows.lowerBound), zone.base + Int64(rows.upperBound))
        }
        if zone.width == 0 {
            return presentCount(selection) > 0 ? (zone.base, zone.base) : nil
        }
        let deltas = kernels.table.pointee.bounds(packed, selection)
        if deltas.low > deltas.high { return nil }
        let flipped = zone.width == 64 ? UInt64(1) << 63 : 0
        return (
            zone.base &+ Int64(bitPattern: deltas.low ^ flipped),
            zone.base &+ Int64(bitPattern: deltas.high ^ flipped)
        )
    }

    // MARK: One by one

    /// Visits the numbers, or images of numbers, of rows that are selected and not null.
    @inline(__always)
    func forEach<E>(
        _ selection: UnsafePointer<UInt64>?,
        _ body: (_ row: Int, _ number: Int64) throws(E) -> Void
    ) throws(E) {
        let (data, width, base) = (packed.data, zone.width, zone.base)
        if zone.isRamp {
            return try forEachRow(selection) { row throws(E) in
                try body(row, base &+ Int64(row))
            }
        }
        try forEachRow(selection) { row throws(E) in
            let delta = PackedNumbers.load(data, row, width: width)
            try body(row, base &+ Int64(bitPattern: delta))
        }
    }

    @inline(__always)
    private func forEachRow<E>(
        _ selection: UnsafePointer<UInt64>?, _ body: (_ row: Int) throws(E) -> Void
    ) throws(E) {
        for i in 0..<wordCount {
            var left = presentWord(i, selection)
            while left != 0 {
                try body(i &* 64 &+ left.trailingZeroBitCount)
                left &= left &- 1
            }
        }
    }

    /// Returns the first and the last row that is selected and not null; nil if there is none.
    private func ends(_ selection: UnsafePointer<UInt64>?) -> ClosedRange<Int>? {
        let words = 0..<wordCount
        guard let first = words.first(where: { presentWord($0, selection) != 0 }),
            let last = words.last(where: { presentWord($0, selection) != 0 })
        else { return nil }
        let low = first * 64 + presentWord(first, selection).trailingZeroBitCount
        return low...last * 64 + 63 - presentWord(last, selection).leadingZeroBitCount
    }

    @inline(__always) private var wordCount: Int { (rowCount &+ 63) &>> 6 }

    /// Returns the bits of word `i` for rows that are selected and not null.
    @inline(__always)
    private func presentWord(_ i: Int, _ selection: UnsafePointer<UInt64>?) -> UInt64 {
        var word = selection?[i] ?? ~0
        if let nulls { word &= ~nulls[i] }
        if i == rowCount &>> 6 { word &= (1 &<< UInt64(rowCount & 63)) &- 1 }
        return word
    }
}

extension Node {
    /// The null bitmap as words, or nil if the column has none. Regions begin at multiples of 8.
    @inline(__always)
    func nullWords(_ column: Int) -> UnsafePointer<UInt64>? {
        nullBitmap(column)?.assumingMemoryBound(to: UInt64.self)
    }
}
