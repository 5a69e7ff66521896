/// The order of the values of one type. Null comes first.
///
/// | type | order |
/// | --- | --- |
/// | bool, int, links | as integers: false first, links by object key |
/// | float, double, date | as numbers; -0 equals 0, NaN equals itself and comes before them |
/// | decimal128 | likewise; trailing zeros make no difference |
/// | string, data, uuid, objectID | by their bytes, a shorter value before those it begins |
/// | typed link | by table, then by object key |
/// | mixed | null, bools, numbers, strings, data, dates, object ids, uuids, links |
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
            type == .mixed ? compareMixed(a, b) : Node.compare(a, b)
        default: preconditionFailure("values of different kinds in one collection")
        }
    }

    /// Values that cannot be decoded come last.
    private func compareMixed(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        switch (MixedValue(.bytes(a)), MixedValue(.bytes(b))) {
        case (let first?, let second?):
            isOfSets
                ? MixedValue.compareInSets(first, second) : MixedValue.compare(first, second)
        case (nil, nil): Node.compare(a, b)
        case (nil, _): 1
        case (_, nil): -1
        }
    }

    private func compareFixed16(_ a: (UInt64, UInt64), _ b: (UInt64, UInt64)) -> Int {
        switch type {
        case .decimal128:
            Decimal128.compare(Decimal128(low: a.0, high: a.1), Decimal128(low: b.0, high: b.1))
        case .typedLink: order(a, b)
        default: order((a.0.byteSwapped, a.1.byteSwapped), (b.0.byteSwapped, b.1.byteSwapped))
        }
    }

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
        if a.rank != b.rank { return a.rank - b.rank }
        switch (a, b) {
        case (.bool(let a), .bool(let b)): return order(a ? 1 : 0, b ? 1 : 0)
        case (.string(let a), .string(let b)), (.data(let a), .data(let b)):
            return Node.compare(a, b)
        case (.date(let a), .date(let b)): return ValueOrder.compare(a, b)
        case (.objectID(let a, let c), .objectID(let b, let d)):
            return ValueOrder(type: .objectID).compare(.fixed12(a, c), .fixed12(b, d))
        case (.uuid(let a, let c), .uuid(let b, let d)):
            return ValueOrder(type: .uuid).compare(.fixed16(a, c), .fixed16(b, d))
        case (.link(let a), .link(let b)):
            return a.table == b.table
                ? order(a.key.rawValue, b.key.rawValue) : order(a.table, b.table)
        default: return compareNumbers(a, b)
        }
    }

    /// The order of ``ValueOrder/ofSets(_:)``.
    fileprivate static func compareInSets(_ a: MixedValue, _ b: MixedValue) -> Int {
        switch (a, b) {
        case (.string(let first), .data(let second)), (.data(let first), .string(let second)):
            let result = Node.compare(first, second)
            return result == 0 ? compare(a, b) : result
        default: return compare(a, b)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal128: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectID: 6
        case .uuid: 7
        case .link: 8
        case .list, .map: 9
        }
    }

    /// Compares numbers by value. Every path below agrees with comparing both as decimals
    /// (`Decimal128.init` of doubles keeps their order, and is exact for whole numbers in the range
    /// of integers), so the order is transitive.
    private static func compareNumbers(_ a: MixedValue, _ b: MixedValue) -> Int {
        if case (.int(let a), .int(let b)) = (a, b) { return order(a, b) }
        if let a = a.double, let b = b.double { return ValueOrder.compare(a, b) }
        guard let a = a.decimal, let b = b.decimal else { return 0 }
        return Decimal128.compare(a, b)
    }

    private var double: Double? {
        switch self {
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    private var decimal: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .decimal128(let value): value
        default: double.map { Decimal128($0) }
        }
    }
}
