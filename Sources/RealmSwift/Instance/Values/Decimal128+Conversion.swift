import Foundation

extension Decimal128 {
    /// Creates a number from a number or a string.
    ///
    /// - Precondition: The value is a number, or a string that ``init(string:)`` accepts.
    public init(value: Any) {
        guard let number = Decimal128._convertElement(value, .detached) else {
            stop(
                "Cannot convert value '\(described(value))' of type '\(type(of: value))' to "
                    + "decimal128")
        }
        self = number
    }

    /// Creates a number from text such as `-12.50`, `1E+10`, `inf` or `NaN`.
    ///
    /// Letters can be uppercase or lowercase. Digits beyond the 34th are rounded, half to even.
    ///
    /// - Throws: ``Realm/Error/Code/invalidInput`` if the text is not a number.
    public init(string: String) throws {
        guard let number = Decimal128(text: string) else {
            throw Realm.Error(.invalidInput, message: Decimal128.invalid(string))
        }
        self = number
    }
}

extension Decimal128: Codable {
    /// Decodes a number from a string, an integer or a floating-point number.
    ///
    /// - Throws: An error if the value is none of these.
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

    /// Encodes the number as a string, which preserves all digits.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
