/// A decimal floating-point number of 34 digits: IEEE 754-2008 decimal128 in its binary-integer
/// encoding.
///
/// The bits are kept as given, so a number keeps its trailing zeros: 1.0 and 1.00 are two encodings
/// of one value. Comparison is by value. All NaNs are equal to each other and come before every
/// number, so that the order is total and the values of a set are distinct.
///
/// ```
/// bit 127         sign
/// bits 126...113  exponent + 6176, unless it begins with 11
/// bits 112...0    coefficient; above 10^34 - 1 it counts as 0, and so does every coefficient of
///                 the form whose exponent begins with 11
/// bits 126...122  11110 infinity, 11111 NaN
/// ```
public struct Decimal128: Sendable {
    public let low: UInt64
    public let high: UInt64

    /// Creates a number from the two words of its encoding.
    @inlinable
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    static let digits = 34
    /// 10^34 - 1: the largest coefficient.
    static let maximumCoefficient: UInt128 = powerOfTen(34) - 1
    static let exponentBias = 6176
    static let minimumExponent = -6176
    static let maximumExponent = 6111

    public static let nan = Decimal128(low: 0, high: 0x7C00_0000_0000_0000)
    public static let infinity = Decimal128(low: 0, high: 0x7800_0000_0000_0000)
    public static let zero = Decimal128(0 as Int64)

    // MARK: Parts

    public var isNegative: Bool { high >> 63 == 1 }
    public var isNaN: Bool { high >> 58 & 0x1F == 0x1F }
    public var isInfinite: Bool { high >> 58 & 0x1F == 0x1E }

    /// The power of ten of the coefficient's last digit. Only for finite numbers.
    var exponent: Int {
        let isLarge = high >> 61 & 3 == 3
        return Int(isLarge ? high >> 47 & 0x3FFF : high >> 49 & 0x3FFF) - Self.exponentBias
    }

    /// The digits as an integer. Only for finite numbers.
    var coefficient: UInt128 {
        if high >> 61 & 3 == 3 { return 0 }
        let value = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return value <= Self.maximumCoefficient ? value : 0
    }

    public var isZero: Bool { !isNaN && !isInfinite && coefficient == 0 }

    static func powerOfTen(_ exponent: Int) -> UInt128 {
        var power: UInt128 = 1
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    static func digitCount(_ value: UInt128) -> Int {
        var rest = value
        var count = 0
        while rest > 0 {
            rest /= 10
            count += 1
        }
        return count
    }
}

extension Decimal128 {
    public init(_ value: Int64) {
        self.init(
            isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
    }

    /// Creates the number that the shortest decimal text of `value` denotes. Whole numbers in the
    /// range of `Int64` are exact.
    ///
    /// This preserves the order of doubles, and converts 0.1 to one tenth.
    public init(_ value: Double) {
        if value.isNaN {
            self = .nan
        } else if let integer = Int64(exactly: value) {
            self.init(integer)
        } else {
            // The text of a finite double always parses.
            self = Decimal128(value.description)!
        }
    }

    /// Creates a number from a coefficient of at most 34 digits and an exponent that may be out of
    /// range. Numbers that are too large become infinite; numbers that are too small lose digits,
    /// rounded half to even.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        var (coefficient, exponent) = (coefficient, exponent)
        if exponent < Self.minimumExponent {
            coefficient = Self.rounded(coefficient, dropping: Self.minimumExponent - exponent)
            exponent = Self.minimumExponent
        }
        if coefficient == 0 {
            exponent = min(exponent, Self.maximumExponent)
        }
        while exponent > Self.maximumExponent, coefficient <= Self.maximumCoefficient / 10 {
            coefficient *= 10
            exponent -= 1
        }
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        guard exponent <= Self.maximumExponent else {
            self.init(low: 0, high: Decimal128.infinity.high | sign)
            return
        }
        let biased = UInt64(exponent + Self.exponentBias) << 49
        self.init(
            low: UInt64(truncatingIfNeeded: coefficient),
            high: sign | biased | UInt64(truncatingIfNeeded: coefficient >> 64))
    }

    /// Drops the last `count` digits, rounding half to even.
    static func rounded(_ coefficient: UInt128, dropping count: Int) -> UInt128 {
        if count == 0 { return coefficient }
        // 10^38 is the largest power that fits. Every coefficient is less than half of a larger
        // power, and so rounds to 0.
        guard count <= 38 else { return 0 }
        let divisor = powerOfTen(count)
        let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: divisor)
        let half = divisor / 2
        let isUp = remainder > half || (remainder == half && quotient & 1 == 1)
        return isUp ? quotient + 1 : quotient
    }
}

// MARK: Order

extension Decimal128: Comparable, Hashable {
    /// Returns a negative number, 0 or a positive number if `a` is less than, equal to or greater
    /// than `b`.
    static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isNaN || b.isNaN { return a.isNaN ? (b.isNaN ? 0 : -1) : 1 }
        let (aSign, bSign) = (a.signum, b.signum)
        if aSign != bSign || aSign == 0 { return aSign - bSign }
        return aSign * compareMagnitudes(a, b)
    }

    private var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

    /// Compares the magnitudes of two numbers, neither of which is NaN or zero.
    private static func compareMagnitudes(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isInfinite || b.isInfinite { return (a.isInfinite ? 1 : 0) - (b.isInfinite ? 1 : 0) }
        var (x, y) = (a.coefficient, b.coefficient)
        if a.exponent == b.exponent { return x < y ? -1 : x == y ? 0 : 1 }
        let first = digitCount(x) + a.exponent
        let second = digitCount(y) + b.exponent
        if first != second { return first < second ? -1 : 1 }
        // The leading digits have the same place value. So the difference of the exponents is a
        // difference of digit counts, below 34, and the product has no more digits than the other
        // number.
        let shift = a.exponent - b.exponent
        if shift > 0 { x *= powerOfTen(shift) } else { y *= powerOfTen(-shift) }
        return x < y ? -1 : x == y ? 0 : 1
    }

    public static func == (a: Decimal128, b: Decimal128) -> Bool { compare(a, b) == 0 }

    public static func < (a: Decimal128, b: Decimal128) -> Bool { compare(a, b) < 0 }

    /// Equal values have equal hashes, whatever their trailing zeros.
    public func hash(into hasher: inout Hasher) {
        if isNaN || isInfinite || isZero {
            hasher.combine(isNaN)
            hasher.combine(isNaN || isZero ? 0 : signum)
            return
        }
        var (digits, power) = (coefficient, exponent)
        while digits % 10 == 0 {
            digits /= 10
            power += 1
        }
        hasher.combine(isNegative)
        hasher.combine(digits)
        hasher.combine(power)
    }
}
