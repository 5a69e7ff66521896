// What the compiler synthesizes for a model class that is declared `Codable` goes through these: the
// wrapper of a property decodes and encodes as its value alone. It hands the value to the coder's
// container, and does not ask the value to code itself: so the strategies of `JSONDecoder` and
// `JSONEncoder` hold for data, dates, URLs and dictionaries, and property lists have their own forms.

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value.
    ///
    /// - Throws: `EncodingError.invalidValue` for the property of a managed object, because the
    ///   wrapper does not know the object that it belongs to.
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

/// A property wrapper whose key may be absent where its value is optional.
public protocol OptionalCodingWrapper {
    /// The type of the wrapped value.
    associatedtype WrappedType: ExpressibleByNilLiteral
    /// Wraps a value.
    init(wrappedValue: WrappedType)
}

extension KeyedDecodingContainer {
    /// Decodes an optional property; an absent key gives nil. Chosen by the compiler for synthesized
    /// conformances.
    public func decode<T>(
        _ type: T.Type, forKey key: KeyedDecodingContainer<K>.Key
    ) throws -> T where T: Decodable, T: OptionalCodingWrapper {
        try decodeIfPresent(T.self, forKey: key) ?? T(wrappedValue: nil)
    }
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}
