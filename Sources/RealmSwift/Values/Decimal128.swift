import Foundation
import StorageEngine

/// A decimal floating-point number of 34 digits, as IEEE 754-2008 defines it: for amounts of money
/// and other numbers of which every decimal digit counts.
///
/// ```swift
/// class Invoice: Object {
///     @Persisted var amount: Decimal128
///     @Persisted var discount: Decimal128?
/// }
/// invoice.amount = "19.90" * 3
/// ```
/// A number keeps its trailing zeros, but is equal to one that has others: 1.0 is 1.00. All NaNs
/// are equal to each other and less than every number, so that numbers can be sorted and be keys.
@frozen
public struct Decimal128: Hashable, Sendable {
    @usableFromInline let encoding: StorageEngine.Decimal128

    @inlinable
    init(_ encoding: StorageEngine.Decimal128) { self.encoding = encoding }

    /// Zero.
    public init() { self.init(StorageEngine.Decimal128.zero) }

    /// A number, or a string that reads as one. Other values stop the program.
    public init(value: Any) {
        guard let number = Decimal128._convertElement(value, .detached) else {
            stop("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
        }
        self = number
    }

    /// The number that the shortest decimal text of `number` stands for.
    public init(number: NSNumber) {
        switch number.kind {
        case .double: self.init(StorageEngine.Decimal128(number.doubleValue))
        // The description of a number is always a number.
        case .float: self = Decimal128(text: number.floatValue.description)!
        case .bool, .integer, .decimal: self = Decimal128(text: number.description)!
        }
    }

    /// Reads a number such as `-12.50`, `1E+10`, `inf` or `NaN`, letters in either case. Digits
    /// beyond the 34th are rounded, half to even.
    ///
    /// - Throws: ``Realm/Error/Code/invalidInput`` if the text is no number.
    public init(string: String) throws {
        guard let number = Decimal128(text: string) else {
            throw Realm.Error(.invalidInput, message: Decimal128.invalid(string))
        }
        self = number
    }

    /// Nil if the text is no number.
    init?(text: String) {
        guard let encoding = StorageEngine.Decimal128(text) else { return nil }
        self.init(encoding)
    }

    private static func invalid(_ text: String) -> String { "Invalid Decimal128 string '\(text)'." }

    /// The smallest finite number: -9.999999999999999999999999999999999E+6144.
    public static var min: Decimal128 { -max }

    /// The largest finite number: 9.999999999999999999999999999999999E+6144.
    public static var max: Decimal128 { "9.999999999999999999999999999999999E+6144" }

    /// Whether this is no number.
    public var isNaN: Bool { encoding.isNaN }

    /// Always false: signaling NaNs are taken for quiet ones.
    public var isSignaling: Bool { false }

    /// Always false: signaling NaNs are taken for quiet ones.
    public var isSignalingNaN: Bool { false }

    /// The text that ``init(string:)`` reads back as the same number, trailing zeros included.
    public var stringValue: String { encoding.description }

    /// The closest `Double`.
    public var doubleValue: Double { Double(encoding.description) ?? .nan }
}

extension Decimal128: CustomStringConvertible {
    /// The shortest text for the value: without zeros behind the last digit of a fraction, and
    /// without the plus sign of an exponent. ``stringValue`` keeps them.
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
    /// The number of an integer literal.
    public init(integerLiteral value: Int64) { self.init(StorageEngine.Decimal128(value)) }
}

extension Decimal128: ExpressibleByFloatLiteral {
    /// The shortest decimal number that stands for the same `Double`: 0.1 is one tenth.
    ///
    /// A literal of more than 17 digits loses some: write such a number as a string.
    public init(floatLiteral value: Double) { self.init(StorageEngine.Decimal128(value)) }
}

extension Decimal128: ExpressibleByStringLiteral {
    /// The number of a string literal; one that is no number stops the program.
    public init(stringLiteral value: String) {
        guard let number = Decimal128(text: value) else { stop(Decimal128.invalid(value)) }
        self = number
    }
}

extension Decimal128: Codable {
    /// Reads a string, an integer or a floating-point number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            try self.init(string: string)
        } else if let integer = try? container.decode(Int64.self) {
            self.init(integerLiteral: integer)
        } else {
            self.init(floatLiteral: try container.decode(Double.self))
        }
    }

    /// Writes a string, so that no digit is lost.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
