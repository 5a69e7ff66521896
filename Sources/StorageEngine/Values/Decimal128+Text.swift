/// Decimal text, as IEEE 754 and the General Decimal Arithmetic specification define it.
extension Decimal128: LosslessStringConvertible {
    /// Parses a number such as `-12.50`, `1E+10`, `inf` or `NaN`, in upper or lower case. Digits
    /// beyond the 34th are rounded half to even. Nil if the text is not a number.
    public init?(_ description: String) {
        var text = Array(description.utf8)[...]
        var isNegative = false
        if let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            text.removeFirst()
        }
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "inf", "infinity":
            self.init(
                low: 0, high: Decimal128.infinity.high | (isNegative ? 1 << 63 : 0))
        case "nan":
            self = .nan
        default:
            guard var number = DecimalText(text) else { return nil }
            number.round()
            self.init(
                isNegative: isNegative, coefficient: number.coefficient, exponent: number.exponent)
        }
    }

    /// The shortest text that parses to the same encoding: digits with a point while the exponent
    /// is small, otherwise in the form `1.5E+10`.
    public var description: String {
        let sign = isNegative ? "-" : ""
        if isNaN { return "NaN" }
        if isInfinite { return sign + "Inf" }
        let digits = String(coefficient)
        let exponent = exponent
        let leading = exponent + digits.utf8.count - 1
        if exponent <= 0, leading >= -6 {
            if exponent == 0 { return sign + digits }
            let whole = digits.utf8.count + exponent
            if whole > 0 { return sign + digits.prefix(whole) + "." + digits.dropFirst(whole) }
            return sign + "0." + String(repeating: "0", count: -whole) + digits
        }
        let fraction = digits.utf8.count > 1 ? "." + digits.dropFirst() : ""
        return sign + digits.prefix(1) + fraction + "E" + (leading < 0 ? "-" : "+")
            + String(abs(leading))
    }
}

/// A number being parsed: up to 35 digits, what follows them, and the position of the point.
private struct DecimalText {
    var coefficient: UInt128 = 0
    var exponent = 0
    private var count = 0
    /// Whether a dropped digit was not 0.
    private var hasMore = false

    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        var sawDigit = false
        var sawPoint = false
        while let character = rest.first {
            if character == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
            } else if let digit = Self.digit(character) {
                sawDigit = true
                append(digit)
                if sawPoint { exponent -= 1 }
            } else {
                break
            }
            rest.removeFirst()
        }
        guard sawDigit else { return nil }
        guard let mark = rest.first else { return }
        guard mark | 0x20 == UInt8(ascii: "e"), let power = Self.integer(rest.dropFirst()) else {
            return nil
        }
        exponent += power
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        character >= UInt8(ascii: "0") && character <= UInt8(ascii: "9")
            ? character - UInt8(ascii: "0") : nil
    }

    /// Parses a signed exponent. It is clamped to a million, beyond which its size makes no
    /// difference.
    private static func integer(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        var isNegative = false
        if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            rest.removeFirst()
        }
        if rest.isEmpty { return nil }
        var value = 0
        for character in rest {
            guard let digit = digit(character) else { return nil }
            value = min(value * 10 + Int(digit), 1_000_000)
        }
        return isNegative ? -value : value
    }

    /// Appends a digit. One digit more than fits is kept, for rounding.
    private mutating func append(_ digit: UInt8) {
        if count > Decimal128.digits {
            exponent += 1
            if digit != 0 { hasMore = true }
            return
        }
        coefficient = coefficient * 10 + UInt128(digit)
        if coefficient > 0 { count += 1 }
    }

    mutating func round() {
        guard count > Decimal128.digits else { return }
        let (quotient, last) = coefficient.quotientAndRemainder(dividingBy: 10)
        coefficient = quotient
        exponent += 1
        if last > 5 || (last == 5 && (hasMore || quotient & 1 == 1)) { coefficient += 1 }
        if coefficient > Decimal128.maximumCoefficient {
            coefficient /= 10
            exponent += 1
        }
    }
}
