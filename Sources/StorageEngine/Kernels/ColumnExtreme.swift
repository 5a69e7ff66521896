/// The least or the greatest value of a column of numbers, accumulated leaf by leaf. Nulls and NaN
/// are ignored, and -0 is less than 0.
struct ColumnExtreme {
    enum Side { case least, greatest }

    let side: Side
    let kind: ColumnKind
    /// The best integer, or order-preserving image of a floating-point number, found so far.
    private(set) var best: Int64?

    init(_ side: Side, kind: ColumnKind) {
        self.side = side
        self.kind = kind
    }

    /// Includes an integer or an image.
    mutating func add(_ number: Int64) {
        guard let best else {
            self.best = number
            return
        }
        self.best = side == .least ? min(best, number) : max(best, number)
    }

    /// Whether a column may hold a better value. If not, its data need not be read.
    func mayImprove(_ zone: PackedZone) -> Bool {
        guard let best, zone.width < 64 else { return true }
        let end: Int64
        if side == .least {
            end = zone.base
        } else {
            let (sum, overflow) = zone.base.addingReportingOverflow(
                Int64(bitPattern: zone.largest))
            end = overflow ? .max : sum
        }
        let number = image(end, of: zone)
        return side == .least ? number < best : number > best
    }

    mutating func add(_ column: PackedColumn, _ selection: UnsafePointer<UInt64>?) {
        guard mayImprove(column.zone), let bounds = column.bounds(selection) else { return }
        if column.zone.holdsImages, !isNumber(bounds.low) || !isNumber(bounds.high) {
            // Some image is a NaN, which the bounds do not exclude, so each value is tested.
            column.forEach(selection) { _, image in
                if isNumber(image) { add(image) }
            }
            return
        }
        add(image(side == .least ? bounds.low : bounds.high, of: column.zone))
    }

    /// Returns the image of a packed number in the order that all leaves share.
    private func image(_ number: Int64, of zone: PackedZone) -> Int64 {
        kind == .integer || zone.holdsImages
            ? number : PackedNumbers.image(whole: number, kind: kind)
    }

    private func isNumber(_ image: Int64) -> Bool {
        kind == .float
            ? !PackedNumbers.float(image: image).isNaN : !PackedNumbers.double(image: image).isNaN
    }
}
