import Glibc

/// Numbers as texts, read and written without strings where that takes time.
enum NumberText {
    // MARK: Writing

    /// Appends the shortest text that gives the same number back. Numbers that are not finite are
    /// `nan`, `inf` and `-inf`.
    static func append(_ value: Double, to output: ByteOutput) {
        if abs(value) < 1e11, appendShort(value, to: output) { return }
        if value == value.rounded(), abs(value) < 1e15, value != 0 || value.sign == .plus {
            output.append(decimal: Int64(value))
            output.append(".0")
        } else if value.isNaN {
            output.append("nan")
        } else {
            output.append(text: value.description)
        }
    }

    /// Appends a number that has at most four digits behind the point. Returns false, and appends
    /// nothing, for any other.
    ///
    /// A number of at most 15 digits is the only one of so many digits that gives its double, so
    /// the first one that is found is the shortest.
    private static func appendShort(_ value: Double, to output: ByteOutput) -> Bool {
        let magnitude = abs(value)
        var power = 1.0
        for digits in 0...4 {
            let scaled = Int64(magnitude * power + 0.5)
            guard Double(scaled) / power == magnitude else {
                power *= 10
                continue
            }
            if scaled == 0, value.sign == .minus { return false }
            let whole = UInt64(scaled)
            let divisor = UInt64(power)
            if value < 0 { output.append(UInt8(ascii: "-")) }
            output.append(decimal: Int64(whole / divisor))
            output.append(UInt8(ascii: "."))
            output.append(magnitude: whole % divisor, digits: max(1, digits))
            return true
        }
        return false
    }

    static func append(_ value: Float, to output: ByteOutput) {
        if value == value.rounded(), abs(value) < 1e7, value != 0 || value.sign == .plus {
            output.append(decimal: Int64(value))
            output.append(".0")
        } else if value.isNaN {
            output.append("nan")
        } else {
            output.append(text: value.description)
        }
    }

    // MARK: Reading

    /// Returns the integer that a text is; nil for any other text, and if it has more than 64 bits.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        var position = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { position = 1 }
        guard position < text.count else { return nil }
        var magnitude: UInt64 = 0
        while position < text.count {
            let digit = UInt64(text[position] &- 0x30)
            guard digit < 10 else { return nil }
            let (product, tooLarge) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeNow) = product.addingReportingOverflow(digit)
            if tooLarge || tooLargeNow { return nil }
            magnitude = sum
            position += 1
        }
        if isNegative { return magnitude <= 1 << 63 ? Int64(bitPattern: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// Returns the number nearest to a text such as `-12.5`, `1e3`, `inf` or `nan`; nil for any
    /// other text.
    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        if let decimal = SmallDecimal(text), decimal.mantissa < 1 << 53,
            abs(decimal.exponent) <= 22
        {
            let value = Double(decimal.mantissa)
            let power = power(abs(decimal.exponent))
            let magnitude = decimal.exponent < 0 ? value / power : value * power
            return decimal.isNegative ? -magnitude : magnitude
        }
        return special(text).map { Double($0) } ?? converted(text) { strtod($0, $1) }
    }

    static func float(_ text: UnsafeRawBufferPointer) -> Float? {
        if let decimal = SmallDecimal(text), decimal.mantissa < 1 << 24,
            abs(decimal.exponent) <= 10
        {
            let value = Float(decimal.mantissa)
            let power = Float(power(abs(decimal.exponent)))
            let magnitude = decimal.exponent < 0 ? value / power : value * power
            return decimal.isNegative ? -magnitude : magnitude
        }
        return special(text) ?? converted(text) { strtof($0, $1) }
    }

    /// A power of ten that a double holds exactly.
    private static func power(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    private static func special(_ text: UnsafeRawBufferPointer) -> Float? {
        guard text.count <= 9 else { return nil }
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }

    /// The conversion of the C library, for what is left: long numbers and large exponents.
    private static func converted<Number>(
        _ text: UnsafeRawBufferPointer,
        _ convert: (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>)
            -> Number
    ) -> Number? {
        let allowed = text.allSatisfy {
            $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
                || $0 | 0x20 == UInt8(ascii: "e") || $0 == UInt8(ascii: "+")
        }
        guard allowed, !text.isEmpty, text.count <= 4096 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count + 1) { copy in
            for (index, byte) in text.enumerated() { copy[index] = CChar(bitPattern: byte) }
            copy[text.count] = 0
            guard let start = copy.baseAddress else { return nil }
            var end: UnsafeMutablePointer<CChar>?
            let number = convert(UnsafePointer(start), &end)
            return end == start + text.count ? number : nil
        }
    }
}

/// A decimal number of at most 18 digits.
private struct SmallDecimal {
    var isNegative = false
    var mantissa: UInt64 = 0
    var exponent = 0

    /// Nil for texts that have more digits, and for those that are no numbers.
    init?(_ text: UnsafeRawBufferPointer) {
        var position = 0
        if text.first == UInt8(ascii: "-") {
            isNegative = true
            position = 1
        } else if text.first == UInt8(ascii: "+") {
            position = 1
        }
        var digits = 0
        var hasPoint = false
        while position < text.count {
            let byte = text[position]
            if byte &- 0x30 < 10 {
                guard digits < 18 else { return nil }
                mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
                digits += 1
                if hasPoint { exponent -= 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            position += 1
        }
        guard digits > 0 else { return nil }
        if position == text.count { return }
        guard text[position] | 0x20 == UInt8(ascii: "e"), text.count - position <= 6,
            let power = NumberText.integer(
                UnsafeRawBufferPointer(rebasing: text.dropFirst(position + 1)))
        else { return nil }
        exponent += Int(power)
    }
}
