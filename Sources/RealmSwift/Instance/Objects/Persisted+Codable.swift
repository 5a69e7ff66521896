// The `Codable` conformance that the compiler synthesizes for a model class uses the following. A
// property wrapper is decoded and encoded as its value alone. The value is passed to the coder's
// container, not asked to code itself. As a result, the strategies of `JSONDecoder` and
// `JSONEncoder` apply to data, dates, URLs and dictionaries, and property lists use their native
// types.

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value.
    ///
    /// - Throws: The error of the decoder.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value.
    ///
    /// - Throws: `EncodingError.invalidValue` for a property of a managed object, because the
    ///   wrapper does not know its object, or the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch state {
        case .value(let value): try Self.encode(value, to: encoder)
        case .unset: try Self.encode(Value._makeDefault(), to: encoder)
        case .managed:
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Only unmanaged Realm objects can be encoded using automatic Codable "
                        + "synthesis. You must explicitly define encode(to:) on your model class "
                        + "to support managed Realm objects."))
        }
    }

    private static func encode(_ value: Value, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A property wrapper that accepts a missing key if its value is optional.
public protocol OptionalCodingWrapper {
    /// The type of the wrapped value.
    associatedtype WrappedType: ExpressibleByNilLiteral
    /// Creates a wrapper with a value.
    init(wrappedValue: WrappedType)
}

extension KeyedDecodingContainer {
    /// Decodes an optional property; a missing key gives nil. The compiler selects this overload in
    /// synthesized conformances.
    ///
    /// - Throws: The error of the decoder.
    public func decode<T>(
        _ type: T.Type, forKey key: KeyedDecodingContainer<K>.Key
    ) throws -> T where T: Decodable, T: OptionalCodingWrapper {
        try decodeIfPresent(T.self, forKey: key) ?? T(wrappedValue: nil)
    }
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}
