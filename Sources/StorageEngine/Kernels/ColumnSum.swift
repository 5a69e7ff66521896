/// The sum of a column's values, accumulated leaf by leaf. Nulls are ignored.
///
/// Integers are added exactly. Floating-point values are added in Double precision, one by one in
/// the order of rows, as a loop over the objects would. The result thus does not depend on how the
/// values are packed or on the processor.
public struct ColumnSum: Sendable {
    /// The number of added values.
    public private(set) var count = 0
    /// The sum of an integer column; 0 for others. No number of rows overflows it.
    public private(set) var integer: Int128 = 0
    /// The sum of a floating-point column; 0 for others.
    public private(set) var floating = 0.0
    private let kind: ColumnKind

    init(kind: ColumnKind) { self.kind = kind }

    /// The sum divided by the number of values; nil without values.
    public var average: Double? {
        if count == 0 { return nil }
        return (kind == .integer ? Double(integer) : floating) / Double(count)
    }

    /// Adds one value `times` times.
    @inline(__always)
    mutating func add(_ number: Double, times: Int) {
        count += times
        for _ in 0..<times { floating += number }
    }

    @inline(__always)
    mutating func add(_ number: Int64, times: Int) {
        count += times
        integer += Int128(number) * Int128(times)
    }

    mutating func add(_ column: PackedColumn, _ selection: UnsafePointer<UInt64>?) {
        if kind == .integer {
            let (sum, added) = column.sum(selection)
            integer += sum
            count += added
        } else if !column.zone.holdsImages {
            addWhole(column, selection)
        } else if kind == .double {
            addOneByOne(column, selection) { PackedNumbers.double(image: $0) }
        } else {
            addOneByOne(column, selection) { Double(PackedNumbers.float(image: $0)) }
        }
    }

    /// Adds what ``PackedColumn/sum(_:)`` returned for some rows of a column. Returns false, with
    /// nothing added, if these are floating-point values that have to be added one by one.
    mutating func add(_ sum: Int128, count added: Int, of column: PackedColumn) -> Bool {
        if kind == .integer {
            integer += sum
        } else {
            guard !column.zone.holdsImages, addsExactly(column) else { return false }
            floating += Double(sum)
        }
        count += added
        return true
    }

    /// Adds another sum. The result for floating point depends on the order unless the sums have no
    /// fractions and are below 2^53.
    mutating func merge(_ other: ColumnSum) {
        count += other.count
        integer += other.integer
        floating += other.floating
    }

    private mutating func addOneByOne(
        _ column: PackedColumn, _ selection: UnsafePointer<UInt64>?, _ value: (Int64) -> Double
    ) {
        var sum = floating
        var added = 0
        column.forEach(selection) { _, number in
            sum += value(number)
            added &+= 1
        }
        floating = sum
        count += added
    }

    /// Adds whole numbers as integers if adding them one by one would be exact as well.
    private mutating func addWhole(_ column: PackedColumn, _ selection: UnsafePointer<UInt64>?) {
        guard addsExactly(column) else {
            addOneByOne(column, selection) { Double($0) }
            return
        }
        let (sum, added) = column.sum(selection)
        floating += Double(sum)
        count += added
    }

    /// Below this magnitude doubles have all whole numbers.
    static let exactLimit = 9_007_199_254_740_992.0

    /// Whether adding whole numbers of a column one by one is exact.
    private func addsExactly(_ column: PackedColumn) -> Bool {
        let reach = column.zone.greatestMagnitude * Double(column.rowCount) + floating.magnitude
        return reach < Self.exactLimit && floating == floating.rounded()
    }
}
