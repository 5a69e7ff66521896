/// The bounds of the numbers in a packed column, according to the directory.
///
/// Also available for a spilled column, so that a scan may skip the column's node.
struct PackedZone {
    let base: Int64
    let width: Int
    /// Whether the number of row `i` is `base + i`. The width is 0 then.
    let isRamp: Bool
    /// An upper bound on the deltas.
    let largest: UInt64
    /// Whether the numbers are order-preserving images of floating point.
    let holdsImages: Bool

    @inline(__always)
    init(_ node: Node, _ column: Int) {
        let entry = node.entry(column)
        base = entry.base
        width = entry.width
        isRamp = entry.isRamp && node.rowCount > 0
        // Swift's smart shift yields zero for a distance of 64.
        largest =
            isRamp
            ? UInt64(node.rowCount &- 1)
            : (UInt64(1) << UInt64(truncatingIfNeeded: width)) &- 1
        holdsImages = entry.kindCode != ColumnKind.integer.rawValue && !entry.isWhole
    }

    /// A bound on the magnitudes of whole numbers.
    var greatestMagnitude: Double { Double(base.magnitude) + Double(largest) }

    /// The deltas of a column that are in a range, before the range is inverted.
    enum Coverage {
        case none
        case all
        case deltas(low: UInt64, span: UInt64)
    }

    /// Compares a range with the column's bounds. Only a range that has an end within the bounds
    /// requires the column's data.
    @inline(__always)
    func coverage(_ range: NumberRange) -> Coverage {
        let wanted = holdsImages ? range.images : range.values
        if wanted.isEmpty { return .none }
        if width == 64 {
            // The base is zero and a delta is the number, so a range that begins below zero wraps
            // around.
            let span = UInt64(bitPattern: wanted.high &- wanted.low)
            if span == .max { return .all }
            return .deltas(low: UInt64(bitPattern: wanted.low), span: span)
        }
        if wanted.high < base { return .none }
        // The difference of two ordered numbers is exact as an unsigned number.
        let low = wanted.low <= base ? 0 : UInt64(bitPattern: wanted.low &- base)
        if low > largest { return .none }
        let high = min(UInt64(bitPattern: wanted.high &- base), largest)
        if low == 0, high == largest { return .all }
        return .deltas(low: low, span: high - low)
    }

    /// Whether all rows match or none does; nil if that depends on values or nulls.
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
