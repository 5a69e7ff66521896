/// A type that can be stored because it maps itself to a type that the library knows.
///
/// ```swift
/// extension Angle: CustomPersistable {
///     typealias PersistedType = Double
///     init(persistedValue: Double) { self.init(degrees: persistedValue) }
///     var persistableValue: Double { degrees }
/// }
///
/// class Camera: Object {
///     @Persisted var direction: Angle
///     @Persisted var limits: List<Angle?>
/// }
/// ```
/// The persisted type is a scalar, an enum or a class of embedded objects, but not an optional or a
/// collection. The mapped type itself can be optional, and can be an element of a collection. The
/// schema and dynamic access use the persisted type only, so a property can change between the two
/// types without a migration.
///
/// A property without an initial value starts with the mapped default of the persisted type. The
/// same value is used for a property that is set to nil, or whose embedded object is missing.
///
/// Use ``FailableCustomPersistable`` if some persisted values cannot be mapped.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value for a persisted value.
    init(persistedValue: PersistedType)
    /// The persisted value for this value.
    var persistableValue: PersistedType { get }
}

/// A type that can be stored like a ``CustomPersistable``, but whose mapping can fail for some
/// persisted values.
///
/// ```swift
/// extension URL: FailableCustomPersistable {
///     public typealias PersistedType = String
///     public init?(persistedValue: String) { self.init(string: persistedValue) }
///     public var persistableValue: String { absoluteString }
/// }
///
/// class Club: Object {
///     @Persisted var url: URL?
/// }
/// ```
/// A stored value that cannot be mapped reads as nil if the property, or the element of a
/// collection, is optional; otherwise the program stops. If the default of the persisted type
/// cannot be mapped, a property without an initial value stops the program when it is read or its
/// object is added.
///
/// Dynamic access stores persisted values even if they cannot be mapped. An unmanaged object cannot
/// hold such a value, so setting it stops the program.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value for a persisted value; nil if there is none.
    init?(persistedValue: PersistedType)
    /// The persisted value for this value.
    var persistableValue: PersistedType { get }
}

/// A type that the application maps to a stored type.
public protocol _CustomPersistable: _MappedPersistable {}

extension _CustomPersistable {
    public static func _makeValueOfNull() -> Self? { _makeDefault() }
}

extension CustomPersistable {
    /// Hashes the persisted value.
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }

    @inlinable @inline(__always)
    public static func _fromPersisted(_ value: PersistedType) -> Self? {
        Self(persistedValue: value)
    }

    @inlinable @inline(__always)
    public var _persisted: PersistedType { persistableValue }

    public static func _makeDefault() -> Self {
        Self(persistedValue: PersistedType._makeDefault())
    }
}

extension FailableCustomPersistable {
    /// Hashes the persisted value.
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }

    @inlinable @inline(__always)
    public static func _fromPersisted(_ value: PersistedType) -> Self? {
        Self(persistedValue: value)
    }

    @inlinable @inline(__always)
    public var _persisted: PersistedType { persistableValue }

    public static func _makeDefault() -> Self {
        guard let value = Self(persistedValue: PersistedType._makeDefault()) else {
            stop(
                "Failed to default construct a \(Self.self) using the default value for persisted "
                    + "type \(PersistedType.self). This conversion must either succeed, the "
                    + "property must be optional, or you must explicitly specify a default value "
                    + "for the property.")
        }
        return value
    }
}
