extension ObjectId {
    /// Creates an identifier from 24 hexadecimal digits, uppercase or lowercase.
    ///
    /// - Throws: ``Realm/Error/Code/invalidInput`` for any other text.
    public init(string: String) throws {
        guard let id = ObjectId(hexadecimal: string) else {
            throw Realm.Error(.invalidInput, message: ObjectId.invalid(string))
        }
        self = id
    }
}

extension ObjectId: Codable {
    /// Decodes a string with 24 hexadecimal digits.
    ///
    /// - Throws: An error if the value is not such a string.
    public init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes ``stringValue``.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
