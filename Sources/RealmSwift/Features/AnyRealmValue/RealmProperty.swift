/// A type that ``RealmProperty`` can wrap.
public protocol RealmPropertyType: _Persistable {}

extension Optional: RealmPropertyType
where Wrapped: RealmOptionalType & _PersistableInsideOptional {}
extension AnyRealmValue: RealmPropertyType {}

/// A reference to a value. It declared optional numbers and values of any type before `@Persisted`
/// existed.
///
/// ```swift
/// class Person: Object {
///     let age = RealmProperty<Int?>()
/// }
/// ```
/// Properties without `@Persisted` are not stored. Such a property of a model class keeps its value
/// for the lifetime of the instance, and is not part of the schema. Declare `@Persisted var age:
/// Int?` to store the value.
public final class RealmProperty<Value: RealmPropertyType> {
    /// The value. The default is nil or `.none`.
    public var value: Value

    /// Creates an instance with the default value.
    public init() { value = Value._makeDefault() }
}

extension RealmProperty: Equatable where Value: Equatable {
    /// Returns a Boolean value that indicates whether the values are equal.
    public static func == (left: RealmProperty<Value>, right: RealmProperty<Value>) -> Bool {
        isSameValue(left.value, right.value)
    }
}

extension RealmProperty: CustomStringConvertible {
    /// The description of the value.
    public var description: String { "\(value)" }
}

extension RealmProperty: Codable where Value: Codable {
    /// Decodes the value.
    ///
    /// - Throws: The error of the decoder.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes the value.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
