/// The order of the values of one type. Null comes first.
///
/// | ``ValueTraits/Order`` | order |
/// | --- | --- |
/// | integers | as integers: false first, links by object key |
/// | numbers | as numbers; -0 equals 0, NaN equals itself and comes before them |
/// | decimals | likewise; trailing zeros make no difference |
/// | bytes | by their bytes, a shorter value before those it begins |
/// | links | by table, then by object key |
/// | mixed | by their kinds (`MixedValue.Kind`), then by value |
///
/// Numbers of mixed values are ordered by value whatever their types, so that 1 and 1.0 are equal.
/// Sets keep their elements in this order, except strings and data of mixed values; see
/// ``ofSets(_:)``.
struct ValueOrder {
    let type: ValueType
    private var isOfSets = false

    init(type: ValueType) { self.type = type }

    /// The order in which files store the elements of sets. In sets of mixed values, strings and
    /// data are ordered by their bytes; if the bytes are equal, the string comes first.
    static func ofSets(_ type: ValueType) -> ValueOrder {
        var order = ValueOrder(type: type)
        order.isOfSets = true
        return order
    }

    /// Returns a negative number, 0 or a positive number if `a` comes before, is equal to, or comes
    /// after `b`. Both must be of this type.
    func compare(_ a: Scalar, _ b: Scalar) -> Int {
        switch (a, b) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.integer(let a), .integer(let b)): order(a, b)
        case (.float(let a), .float(let b)): Self.compare(Double(a), Double(b))
        case (.double(let a), .double(let b)): Self.compare(a, b)
        case (.fixed12(let a, let c), .fixed12(let b, let d)):
            order((a.byteSwapped, UInt64(c.byteSwapped)), (b.byteSwapped, UInt64(d.byteSwapped)))
        case (.fixed16(let a, let c), .fixed16(let b, let d)):
            compareFixed16((a, c), (b, d))
        case (.bytes(let a), .bytes(let b)):
            type == .mixed ? compareMixed(a, b) : compareBytes(a, b)
        default: preconditionFailure("values of different kinds in one collection")
        }
    }

    /// Values that cannot be decoded come last.
    private func compareMixed(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        switch (MixedValue(.bytes(a)), MixedValue(.bytes(b))) {
        case (let first?, let second?):
            isOfSets
                ? MixedValue.compareInSets(first, second) : MixedValue.compare(first, second)
        case (nil, nil): compareBytes(a, b)
        case (nil, _): 1
        case (_, nil): -1
        }
    }

    private func compareFixed16(_ a: (UInt64, UInt64), _ b: (UInt64, UInt64)) -> Int {
        switch type.traits.order {
        case .decimals:
            Decimal128.compare(Decimal128(low: a.0, high: a.1), Decimal128(low: b.0, high: b.1))
        case .links: order(a, b)
        case .bytes:
            order((a.0.byteSwapped, a.1.byteSwapped), (b.0.byteSwapped, b.1.byteSwapped))
        case .integers, .numbers, .mixed: preconditionFailure("no type has such an order")
        }
    }

    static func compareIntegers(_ a: Int64, _ b: Int64) -> Int { order(a, b) }

    static func compare(_ a: Double, _ b: Double) -> Int {
        if a < b { return -1 }
        if a > b { return 1 }
        return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1)
    }
}

private func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

private func order(_ a: (UInt64, UInt64), _ b: (UInt64, UInt64)) -> Int {
    a < b ? -1 : a == b ? 0 : 1
}

extension MixedValue {
    /// Returns a negative number, 0 or a positive number if `a` comes before, is equal to, or comes
    /// after `b`. Lists and maps, which no set contains, are equal to each other and come last.
    public static func compare(_ a: MixedValue, _ b: MixedValue) -> Int {
        let (first, second) = (a.kind, b.kind)
        if first != second { return first.rawValue - second.rawValue }
        return first == .number ? compareNumbers(a, b) : compareOfOneKind(a, b)
    }

    /// The order of ``ValueOrder/ofSets(_:)``.
    fileprivate static func compareInSets(_ a: MixedValue, _ b: MixedValue) -> Int {
        var result = 0
        if case .string(let first) = a, case .data(let second) = b {
            result = compareBytes(first, second)
        } else if case .data(let first) = a, case .string(let second) = b {
            result = compareBytes(first, second)
        }
        return result == 0 ? compare(a, b) : result
    }

    /// Compares numbers by value. Every path below agrees with comparing both as decimals
    /// (`Decimal128.init` of doubles keeps their order, and is exact for whole numbers in the range
    /// of integers), so the order is transitive.
    private static func compareNumbers(_ a: MixedValue, _ b: MixedValue) -> Int {
        switch (a.number, b.number) {
        case (.integer(let a)?, .integer(let b)?): order(a, b)
        case (.floating(let a)?, .floating(let b)?): ValueOrder.compare(a, b)
        case (let a?, let b?): Decimal128.compare(a.decimal, b.decimal)
        case (nil, _), (_, nil): 0
        }
    }
}

extension MixedValue.Number {
    fileprivate var decimal: Decimal128 {
        switch self {
        case .integer(let value): Decimal128(value)
        case .floating(let value): Decimal128(value)
        case .decimal(let value): value
        }
    }
}
