import StorageEngine

/// An accumulator that computes an aggregate from a sequence of values.
///
/// Its values are views of stored ones, so nothing can be written while it is in use.
struct AggregateAccumulator {
    private let aggregate: Aggregate
    private let type: ValueType
    private var count = 0
    private var integer: Int128 = 0
    private var floating = 0.0
    private var decimal = StorageEngine.Decimal128.zero
    /// The minimum or maximum so far.
    private var best: MixedValue?

    init(_ aggregate: Aggregate, _ type: ValueType) {
        self.aggregate = aggregate
        self.type = type
    }

    /// Adds a value. Null is ignored.
    mutating func add(_ scalar: Scalar) {
        if let value = MixedValue(scalar, storedAs: type) { add(value) }
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

    /// Adds a number. Numbers in mixed values are added as decimals.
    private mutating func addNumber(_ value: MixedValue) {
        guard let number = value.number else { return }
        switch number {
        case .integer(let value) where type == .mixed: add(StorageEngine.Decimal128(value))
        case .floating(let value) where type == .mixed: add(StorageEngine.Decimal128(value))
        case .integer(let value): integer += Int128(value)
        case .floating(let value): floating += value
        case .decimal(let value): add(value)
        }
        count += 1
    }

    private mutating func add(_ value: StorageEngine.Decimal128) { decimal = decimal + value }

    /// The result in the form of dynamic interfaces. Without values, the result of a sum is zero
    /// and all other results are nil.
    var result: Any? {
        switch aggregate {
        case .min, .max: best?.aggregateResult
        case .sum: sum
        case .average: count == 0 ? nil : average
        }
    }

    private var sum: Any {
        switch type.traits.addition {
        case .integers: Self.sum(of: integer)
        case .decimals: Decimal128(decimal)
        case .doubles, .none: floating
        }
    }

    /// Returns the sum as an `Int`, or as the closest `Double` if it overflows.
    static func sum(of integers: Int128) -> Any { Int(exactly: integers) ?? Double(integers) }

    private var average: Any {
        switch type.traits.addition {
        case .integers: Double(integer) / Double(count)
        case .decimals: Decimal128(decimal / StorageEngine.Decimal128(Int64(count)))
        case .doubles, .none: floating / Double(count)
        }
    }
}
