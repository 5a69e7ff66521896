import StorageEngine

// Results are exact, or rounded to 34 digits, half to even.

extension Decimal128: Comparable {
    /// By value, NaN equal to itself.
    // Spelled out, because a type that is Strideable is otherwise compared by its distances, which
    // are numbers of the same type.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        left.encoding == right.encoding
    }

    /// By value, NaN first.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        left.encoding < right.encoding
    }
}

extension Decimal128: SignedNumeric {
    /// The number of an integer; nil if that needs more than 34 digits.
    public init?<T: BinaryInteger>(exactly source: T) {
        let text = source.description
        let zeros = text.reversed().prefix { $0 == "0" }.count
        let sign = source < 0 ? 1 : 0
        guard text.count - zeros - sign <= 34 else { return nil }
        self.init(text: text)
    }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(encoding.magnitude) }

    /// Takes the other sign.
    public mutating func negate() { self = Decimal128(-encoding) }

    /// The sum.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding + right.encoding)
    }

    /// The difference.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding - right.encoding)
    }

    /// The product.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding * right.encoding)
    }

    /// Multiplies in place.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// The quotient. A number divided by zero is infinite, zero divided by zero NaN.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding / right.encoding)
    }

    /// Divides in place.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
}

extension Decimal128: Strideable {
    /// What must be added to reach `other`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The sum with `n`.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }
}
