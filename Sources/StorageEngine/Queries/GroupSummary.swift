/// The objects that have one value of a property: how many there are, and the aggregates of some
/// of their other properties.
public struct ValueGroup: Sendable {
    /// The value. All NaN are one value, and so are both zeros.
    public let key: OwnedScalar
    /// The number of objects.
    public let count: Int
    /// The aggregates of each column that was asked for.
    let summaries: ArraySlice<GroupSummary>

    /// The aggregates of a column, by its position among those that were asked for.
    public func summary(at position: Int) -> GroupSummary {
        summaries[summaries.startIndex + position]
    }
}

/// Sum, minimum and maximum of a numeric column of the objects of one group. Nulls are ignored.
public struct GroupSummary: Sendable {
    /// The sum, with the number of values and their mean.
    public private(set) var sum: ColumnSum
    private let kind: ColumnKind
    /// The bounds of the integers, or of the images of floating-point numbers. While there are
    /// none, the least is above the greatest.
    private var least = Int64.max
    private var greatest = Int64.min

    init(kind: ColumnKind) {
        self.kind = kind
        sum = ColumnSum(kind: kind)
    }

    /// The least value; nil without values. NaN is ignored, and -0 is less than 0.
    public var minimum: Scalar? { least > greatest ? nil : value(least) }

    /// The greatest value; nil without values. NaN is ignored, and -0 is less than 0.
    public var maximum: Scalar? { least > greatest ? nil : value(greatest) }

    private func value(_ number: Int64) -> Scalar {
        switch kind {
        case .float: .float(PackedNumbers.float(image: number))
        case .double: .double(PackedNumbers.double(image: number))
        default: .integer(number)
        }
    }

    // MARK: Adding

    @inline(__always)
    mutating func add(_ number: Int64) {
        sum.add(number, times: 1)
        include(number)
    }

    @inline(__always)
    mutating func add(_ number: Double) {
        sum.add(number, times: 1)
        if !number.isNaN { include(PackedNumbers.image(number)) }
    }

    @inline(__always)
    mutating func add(_ number: Float) {
        sum.add(Double(number), times: 1)
        if !number.isNaN { include(PackedNumbers.image(number)) }
    }

    mutating func add(_ value: Scalar) {
        switch value {
        case .integer(let number): add(number)
        case .float(let number): add(number)
        case .double(let number): add(number)
        case .null, .bytes, .fixed16, .fixed12: break
        }
    }

    /// Adds the values of other objects. See ``GroupTable/merge(_:)`` for sums of floating point.
    mutating func merge(_ other: GroupSummary) {
        sum.merge(other.sum)
        least = min(least, other.least)
        greatest = max(greatest, other.greatest)
    }

    @inline(__always)
    private mutating func include(_ number: Int64) {
        least = min(least, number)
        greatest = max(greatest, number)
    }
}
