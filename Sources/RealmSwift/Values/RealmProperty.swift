/// A type that ``RealmProperty`` can wrap.
public protocol RealmPropertyType: _Persistable {}

extension Optional: RealmPropertyType
where Wrapped: RealmOptionalType & _PersistableInsideOptional {}
extension AnyRealmValue: RealmPropertyType {}

/// A value behind a reference: how optional numbers, and values of any type, were declared before
/// `@Persisted`.
///
/// ```swift
/// class Person: Object {
///     let age = RealmProperty<Int?>()
/// }
/// ```
/// Properties without `@Persisted` are not stored here, so a value in a model class keeps its value
/// for as long as the instance lives, and is no part of the schema. Declare
/// `@Persisted var age: Int?` to store it.
public final class RealmProperty<Value: RealmPropertyType> {
    /// The value; nil, or `.none`, unless one was given.
    public var value: Value

    /// Wraps the default value.
    public init() { value = Value._makeDefault() }
}

extension RealmProperty: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (left: RealmProperty<Value>, right: RealmProperty<Value>) -> Bool {
        isSameValue(left.value, right.value)
    }
}

extension RealmProperty: CustomStringConvertible {
    /// The value.
    public var description: String { "\(value)" }
}

extension RealmProperty: Codable where Value: Codable {
    /// Decodes the value.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
