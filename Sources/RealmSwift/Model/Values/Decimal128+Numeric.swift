import StorageEngine

// Results are exact, or rounded to 34 digits, half to even.

extension Decimal128: Comparable {
    /// Returns a Boolean value that indicates whether two numbers have the same value. NaN equals
    /// NaN.
    // Implemented explicitly because `Strideable` provides an `==` that compares distances, and
    // these are numbers of the same type.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        left.encoding == right.encoding
    }

    /// Returns a Boolean value that indicates whether the first number is less. NaN is less than
    /// all numbers.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        left.encoding < right.encoding
    }
}

extension Decimal128: SignedNumeric {
    /// Creates the number of an integer; nil if it needs more than 34 digits.
    public init?<T: BinaryInteger>(exactly source: T) {
        let text = source.description
        let zeros = text.reversed().prefix { $0 == "0" }.count
        let sign = source < 0 ? 1 : 0
        guard text.count - zeros - sign <= 34 else { return nil }
        self.init(text: text)
    }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(encoding.magnitude) }

    /// Negates the number.
    public mutating func negate() { self = Decimal128(-encoding) }

    /// Returns the sum.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding + right.encoding)
    }

    /// Returns the difference.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding - right.encoding)
    }

    /// Returns the product.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding * right.encoding)
    }

    /// Multiplies in place.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Returns the quotient. A nonzero number divided by zero is infinite, and zero divided by zero
    /// is NaN.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        Decimal128(left.encoding / right.encoding)
    }

    /// Divides in place.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
}

extension Decimal128: Strideable {
    /// Returns the difference between `other` and this number.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// Returns the sum of this number and `n`.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }
}
