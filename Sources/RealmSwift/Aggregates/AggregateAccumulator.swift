import StorageEngine

/// Takes the values of a property one after the other, and makes one of them.
///
/// Values are views of stored ones, so nothing may be written meanwhile.
struct AggregateAccumulator {
    private let aggregate: Aggregate
    private let type: ValueType
    private var count = 0
    private var integer: Int128 = 0
    private var floating = 0.0
    private var decimal = StorageEngine.Decimal128.zero
    /// The least or greatest value so far.
    private var best: MixedValue?

    init(_ aggregate: Aggregate, _ type: ValueType) {
        self.aggregate = aggregate
        self.type = type
    }

    /// Null is left out.
    mutating func add(_ scalar: Scalar) {
        if let value = MixedValue(scalar, of: type) { add(value) }
    }

    mutating func add(unmanaged value: Any?) {
        if let value = MixedValue(unmanaged: value) { add(value) }
    }

    private mutating func add(_ value: MixedValue) {
        switch aggregate {
        case .sum, .average: addNumber(value)
        case .min: if !value.isUnordered, isBetter(value, -1) { best = value }
        case .max: if !value.isUnordered, isBetter(value, 1) { best = value }
        }
    }

    private func isBetter(_ value: MixedValue, _ sign: Int) -> Bool {
        best.map { MixedValue.compare(value, $0) * sign > 0 } ?? true
    }

    /// Numbers of mixed values are added as decimals.
    private mutating func addNumber(_ value: MixedValue) {
        switch value {
        case .int(let value) where type == .mixed: add(StorageEngine.Decimal128(value))
        case .float(let value) where type == .mixed:
            add(StorageEngine.Decimal128(Double(value)))
        case .double(let value) where type == .mixed: add(StorageEngine.Decimal128(value))
        case .int(let value): integer += Int128(value)
        case .float(let value): floating += Double(value)
        case .double(let value): floating += value
        case .decimal128(let value): add(value)
        default: return
        }
        count += 1
    }

    private mutating func add(_ value: StorageEngine.Decimal128) { decimal = decimal + value }

    /// As dynamic interfaces hand it out; nil without values, but for sums.
    var result: Any? {
        switch aggregate {
        case .min, .max: best?.aggregateResult
        case .sum: sum
        case .average: count == 0 ? nil : average
        }
    }

    private var sum: Any {
        switch type {
        case .int: Self.sum(of: integer)
        case .decimal128, .mixed: Decimal128(decimal)
        default: floating
        }
    }

    /// Exact as an integer, or, if that cannot hold it, as near as a double comes.
    static func sum(of integers: Int128) -> Any { Int(exactly: integers) ?? Double(integers) }

    private var average: Any {
        switch type {
        case .int: Double(integer) / Double(count)
        case .decimal128, .mixed: Decimal128(decimal / StorageEngine.Decimal128(Int64(count)))
        default: floating / Double(count)
        }
    }
}
