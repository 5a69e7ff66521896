/// Arithmetic of IEEE 754-2008: results are exact, or rounded once to 34 digits, half to even. An
/// exact result has the exponent that the standard prefers: 1.0 + 1.00 is 2.00, 6 / 2 is 3.
///
/// An inexact intermediate result is truncated to 36 or more digits and ends in a digit that is
/// neither 0 nor 5. So the only rounding, which comes last, never takes it for exact or halfway.
extension Decimal128 {
    /// The absolute value.
    public var magnitude: Decimal128 { Decimal128(low: low, high: high & ~Self.signBit) }

    /// The number with the opposite sign; NaN is returned unchanged.
    public static prefix func - (value: Decimal128) -> Decimal128 {
        if value.isNaN { return value }
        return Decimal128(low: value.low, high: value.high ^ signBit)
    }

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        if a.isInfinite || b.isInfinite {
            if a.isInfinite && b.isInfinite && a.isNegative != b.isNegative { return .nan }
            return a.isInfinite ? a : b
        }
        return a.exponent >= b.exponent ? add(a, b) : add(b, a)
    }

    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { a + -b }

    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        let isNegative = a.isNegative != b.isNegative
        if a.isInfinite || b.isInfinite {
            return a.isZero || b.isZero ? .nan : infinity(isNegative)
        }
        let product = a.coefficient.multipliedFullWidth(by: b.coefficient)
        var exponent = a.exponent + b.exponent
        var coefficient = product.low
        let excess = digitCount(a.coefficient) + digitCount(b.coefficient) - workingDigits
        if excess > 0 {
            let (quotient, remainder) = powerOfTen(excess).dividingFullWidth(product)
            coefficient = marked(quotient, isExact: remainder == 0)
            exponent += excess
        }
        return Decimal128(isNegative: isNegative, rounding: coefficient, exponent: exponent)
    }

    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        let isNegative = a.isNegative != b.isNegative
        if a.isInfinite { return b.isInfinite ? .nan : infinity(isNegative) }
        if b.isInfinite {
            return Decimal128(isNegative: isNegative, coefficient: 0, exponent: minimumExponent)
        }
        if b.isZero { return a.isZero ? .nan : infinity(isNegative) }
        let preferred = a.exponent - b.exponent
        if a.isZero {
            return Decimal128(isNegative: isNegative, rounding: 0, exponent: preferred)
        }
        // As many zeros as give a quotient of 36 or 37 digits. They are appended in two steps,
        // because the power of ten for both together may be out of range.
        let first = digits - digitCount(a.coefficient)
        let second = digitCount(b.coefficient) + 2
        let dividend = (a.coefficient * powerOfTen(first))
            .multipliedFullWidth(by: powerOfTen(second))
        var (quotient, remainder) = b.coefficient.dividingFullWidth(dividend)
        var exponent = preferred - first - second
        if remainder == 0 {
            while exponent < preferred, quotient % 10 == 0 {
                quotient /= 10
                exponent += 1
            }
        }
        return Decimal128(
            isNegative: isNegative, rounding: marked(quotient, isExact: remainder == 0),
            exponent: exponent)
    }

    // MARK: Steps

    private static let signBit: UInt64 = 1 << 63
    /// Digits of intermediate results.
    private static let workingDigits = digits + 3

    private static func infinity(_ isNegative: Bool) -> Decimal128 {
        Decimal128(low: 0, high: infinity.high | (isNegative ? signBit : 0))
    }

    /// Adds two finite numbers, where the exponent of `a` is not less than that of `b`.
    private static func add(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        if a.isZero && !b.isZero { return b }
        // Appending zeros to `a` gives both numbers one exponent, if `a` has room for them.
        // Otherwise `b` loses digits, which are then far below the last digit of the result.
        let shift = a.exponent - b.exponent
        let zeros = a.isZero ? shift : min(shift, workingDigits - digitCount(a.coefficient))
        let first = a.isZero ? 0 : Int128(a.coefficient * powerOfTen(zeros))
        let second = Int128(cut(b.coefficient, by: shift - zeros))
        let sum = (a.isNegative ? -first : first) + (b.isNegative ? -second : second)
        return Decimal128(
            isNegative: sum < 0 || (sum == 0 && a.isNegative && b.isNegative),
            rounding: sum.magnitude, exponent: a.exponent - zeros)
    }

    /// The coefficient without its last `count` digits, marked as inexact if they were not all 0.
    private static func cut(_ coefficient: UInt128, by count: Int) -> UInt128 {
        if count > digits { return marked(0, isExact: coefficient == 0) }
        let (quotient, remainder) = coefficient.quotientAndRemainder(
            dividingBy: powerOfTen(count))
        return marked(quotient, isExact: remainder == 0)
    }

    /// A truncated number whose last digit is neither 0 nor 5 if the truncation was inexact.
    private static func marked(_ quotient: UInt128, isExact: Bool) -> UInt128 {
        isExact || quotient % 5 != 0 ? quotient : quotient + 1
    }

    /// Rounds a coefficient of up to 38 digits once, to the digits that fit.
    private init(isNegative: Bool, rounding coefficient: UInt128, exponent: Int) {
        let excess = max(
            Self.digitCount(coefficient) - Self.digits, Self.minimumExponent - exponent, 0)
        var rounded = Self.rounded(coefficient, dropping: excess)
        var exponent = exponent + excess
        // Rounding 99…9.5 up gives 1 and 34 zeros, one digit too many.
        if rounded > Self.maximumCoefficient {
            rounded /= 10
            exponent += 1
        }
        self.init(isNegative: isNegative, coefficient: rounded, exponent: exponent)
    }
}
