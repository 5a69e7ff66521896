/// What the directory tells of the numbers in a packed column: where they can lie.
///
/// Also of a column that is spilled, so that a scan need not visit its node.
struct PackedZone {
    let base: Int64
    let width: Int
    /// Whether the number of row i is base + i. The width is 0 then.
    let isRamp: Bool
    /// No delta is larger.
    let largest: UInt64
    /// Whether the numbers are order-preserving images of floating point.
    let holdsImages: Bool

    @inline(__always)
    init(_ node: Node, _ column: Int) {
        let entry = node.entry(column)
        base = entry.base
        width = entry.width
        isRamp = entry.isRamp && node.rowCount > 0
        // Smart shift: by 64 bits gives zero.
        largest =
            isRamp
            ? UInt64(node.rowCount &- 1)
            : (UInt64(1) << UInt64(truncatingIfNeeded: width)) &- 1
        holdsImages = entry.kindCode != ColumnKind.integer.rawValue && !entry.isWhole
    }

    /// Which of a column's deltas lie in a range, before it is inverted.
    enum Coverage {
        case none
        case all
        case deltas(low: UInt64, span: UInt64)
    }

    /// The numbers outside the bounds of the directory cost nothing: only a range that cuts through
    /// them asks for the data.
    @inline(__always)
    func coverage(_ range: NumberRange) -> Coverage {
        let wanted = holdsImages ? range.images : range.values
        if wanted.isEmpty { return .none }
        if width == 64 {
            // The base is zero and a delta is the number: the range wraps around where it begins
            // below zero.
            let span = UInt64(bitPattern: wanted.high &- wanted.low)
            if span == .max { return .all }
            return .deltas(low: UInt64(bitPattern: wanted.low), span: span)
        }
        if wanted.high < base { return .none }
        // Differences of numbers in this order are right as unsigned ones.
        let low = wanted.low <= base ? 0 : UInt64(bitPattern: wanted.low &- base)
        if low > largest { return .none }
        let high = min(UInt64(bitPattern: wanted.high &- base), largest)
        if low == 0, high == largest { return .all }
        return .deltas(low: low, span: high - low)
    }

    /// Whether all rows match, or none does; nil where values and nulls decide.
    @inline(__always)
    func verdict(_ range: NumberRange, mayBeNull: Bool) -> Bool? {
        let matches: Bool
        switch coverage(range) {
        case .none: matches = range.isInverted
        case .all: matches = !range.isInverted
        case .deltas: return nil
        }
        return matches && mayBeNull ? nil : matches
    }
}
