import Foundation
import StorageEngine

/// A decimal floating-point number with 34 digits, as defined by IEEE 754-2008. It is suited for
/// amounts of money and other numbers that need exact decimal digits.
///
/// ```swift
/// class Invoice: Object {
///     @Persisted var amount: Decimal128
///     @Persisted var discount: Decimal128?
/// }
/// invoice.amount = "19.90" * 3
/// ```
/// A number keeps its trailing zeros, but they do not affect equality: 1.0 equals 1.00. All NaNs
/// are equal and less than every number, so numbers can be sorted and used as keys.
@frozen
public struct Decimal128: Hashable, Sendable {
    @usableFromInline let encoding: StorageEngine.Decimal128

    @inlinable
    init(_ encoding: StorageEngine.Decimal128) { self.encoding = encoding }

    /// Creates zero.
    public init() { self.init(StorageEngine.Decimal128.zero) }

    /// Creates the number that the shortest decimal representation of `number` denotes.
    public init(number: NSNumber) {
        switch number.kind {
        case .double: self.init(StorageEngine.Decimal128(number.doubleValue))
        // The description of a number is always a number.
        case .float: self = Decimal128(text: number.floatValue.description)!
        case .bool, .integer, .decimal: self = Decimal128(text: number.description)!
        }
    }

    /// Creates a number from text; nil if the text is not a number.
    init?(text: String) {
        guard let encoding = StorageEngine.Decimal128(text) else { return nil }
        self.init(encoding)
    }

    static func invalid(_ text: String) -> String { "Invalid Decimal128 string '\(text)'." }

    /// The smallest finite number: -9.999999999999999999999999999999999E+6144.
    public static var min: Decimal128 { -max }

    /// The largest finite number: 9.999999999999999999999999999999999E+6144.
    public static var max: Decimal128 { "9.999999999999999999999999999999999E+6144" }

    /// A Boolean value that indicates whether the value is NaN.
    public var isNaN: Bool { encoding.isNaN }

    /// A Boolean value that is always false, because signaling NaNs are treated as quiet NaNs.
    public var isSignaling: Bool { false }

    /// A Boolean value that is always false, because signaling NaNs are treated as quiet NaNs.
    public var isSignalingNaN: Bool { false }

    /// The text from which ``init(string:)`` creates the same number, including trailing zeros.
    public var stringValue: String { encoding.description }

    /// The closest `Double`.
    public var doubleValue: Double { Double(encoding.description) ?? .nan }
}

extension Decimal128: CustomStringConvertible {
    /// The shortest text for the value. It omits trailing zeros of a fraction and the plus sign of
    /// an exponent, which ``stringValue`` keeps.
    public var description: String {
        var digits = stringValue[...]
        var exponent: Substring = ""
        if let mark = digits.firstIndex(of: "E") {
            exponent = digits[mark...].replacing("+", with: "")
            digits = digits[..<mark]
        }
        if digits.contains(".") {
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
        }
        if digits == "0" || digits == "-0" { return String(digits) }
        return String(digits + exponent)
    }
}

extension Decimal128: ExpressibleByIntegerLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { self.init(StorageEngine.Decimal128(value)) }
}

extension Decimal128: ExpressibleByFloatLiteral {
    /// Creates a number from a floating-point literal. The result is the shortest decimal number
    /// that denotes the same `Double`: 0.1 is one tenth.
    ///
    /// Digits beyond the 17th of a literal are lost. Write such a number as a string.
    public init(floatLiteral value: Double) { self.init(StorageEngine.Decimal128(value)) }
}

extension Decimal128: ExpressibleByStringLiteral {
    /// Creates a number from a string literal.
    ///
    /// - Precondition: The text is a number.
    public init(stringLiteral value: String) {
        guard let number = Decimal128(text: value) else { stop(Decimal128.invalid(value)) }
        self = number
    }
}
