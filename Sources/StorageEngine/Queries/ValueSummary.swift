/// Combines several values into one. Null and values that the aggregate does not apply to are
/// ignored. NaN is ignored by `minimum` and `maximum`.
struct ValueSummary {
    private let aggregate: QueryAggregate
    /// Whether numbers are added as decimals, as those of mixed values are.
    private let addsDecimals: Bool
    private var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubles = 0.0
    private var decimals = Decimal128.zero
    private var hasDoubles = false
    private var hasDecimals = false
    /// The least or greatest value so far.
    private var best = MixedValue.null

    init(_ aggregate: QueryAggregate, of type: ValueType) {
        self.aggregate = aggregate
        addsDecimals = type == .mixed
        hasDecimals = addsDecimals
    }

    mutating func add(_ value: MixedValue) {
        switch aggregate {
        case .minimum: if isBetter(value, -1) { best = value }
        case .maximum: if isBetter(value, 1) { best = value }
        case .sum, .average: addNumber(value)
        }
    }

    private func isBetter(_ value: MixedValue, _ sign: Int) -> Bool {
        if !value.isOrdered { return false }
        if case .null = best { return true }
        return MixedValue.compare(value, best) * sign > 0
    }

    private mutating func addNumber(_ value: MixedValue) {
        guard let number = value.number else { return }
        switch number {
        case .integer(let number) where addsDecimals: decimals = decimals + Decimal128(number)
        case .floating(let number) where addsDecimals: decimals = decimals + Decimal128(number)
        case .integer(let number): integers += Int128(number)
        case .floating(let number):
            doubles += number
            hasDoubles = true
        case .decimal(let number):
            decimals = decimals + number
            hasDecimals = true
        }
        count += 1
    }

    var result: MixedValue {
        switch aggregate {
        case .minimum, .maximum: best
        case .sum: sum
        case .average: count == 0 ? .null : average
        }
    }

    private var sum: MixedValue {
        if hasDecimals { return .decimal128(decimalSum) }
        if hasDoubles { return .double(doubles + Double(integers)) }
        return Int64(exactly: integers).map { .int($0) } ?? .double(Double(integers))
    }

    private var average: MixedValue {
        if hasDecimals { return .decimal128(decimalSum / Decimal128(count)) }
        return .double((doubles + Double(integers)) / Double(count))
    }

    private var decimalSum: Decimal128 {
        let whole =
            Int64(exactly: integers).map { Decimal128($0) } ?? Decimal128(Double(integers))
        return decimals + whole + Decimal128(doubles)
    }
}
