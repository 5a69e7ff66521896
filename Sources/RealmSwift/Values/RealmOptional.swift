/// A type that ``RealmOptional`` can wrap.
public protocol RealmOptionalType: _ObjcBridgeable {}

extension Bool: RealmOptionalType {}
extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}

/// An optional number behind a reference: how optional numbers were declared before `@Persisted`.
///
/// ```swift
/// class Person: Object {
///     let age = RealmOptional<Int>()
/// }
/// ```
/// Properties without `@Persisted` are not stored here, so a value in a model class keeps its value
/// for as long as the instance lives, and is no part of the schema. Declare
/// `@Persisted var age: Int?` to store it.
public final class RealmOptional<Value: RealmOptionalType> {
    /// The value; nil unless one was given.
    public var value: Value?

    /// Wraps a value.
    public init(_ value: Value? = nil) { self.value = value }
}

extension RealmOptional: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (left: RealmOptional<Value>, right: RealmOptional<Value>) -> Bool {
        left.value == right.value
    }
}

extension RealmOptional: CustomStringConvertible {
    /// The value, or `nil`.
    public var description: String { value.map { "\($0)" } ?? "nil" }
}

extension RealmOptional: Codable where Value: Codable {
    /// Decodes the value, or null.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }

    /// Encodes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
