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

/// A reference to an optional number. It declared optional numbers before `@Persisted` existed.
///
/// ```swift
/// class Person: Object {
///     let age = RealmOptional<Int>()
/// }
/// ```
/// Properties without `@Persisted` are not stored. Such a property of a model class keeps its value
/// for the lifetime of the instance, and is not part of the schema. Declare `@Persisted var age:
/// Int?` to store the value.
public final class RealmOptional<Value: RealmOptionalType> {
    /// The value. The default is nil.
    public var value: Value?

    /// Creates an instance with a value.
    public init(_ value: Value? = nil) { self.value = value }
}

extension RealmOptional: Equatable where Value: Equatable {
    /// Returns a Boolean value that indicates whether the values are equal.
    public static func == (left: RealmOptional<Value>, right: RealmOptional<Value>) -> Bool {
        left.value == right.value
    }
}

extension RealmOptional: CustomStringConvertible {
    /// The description of the value, or `nil`.
    public var description: String { value.map { "\($0)" } ?? "nil" }
}

extension RealmOptional: Codable where Value: Codable {
    /// Decodes the value or null.
    ///
    /// - Throws: The error of the decoder.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }

    /// Encodes the value or null.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
