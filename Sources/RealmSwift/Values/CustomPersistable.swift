/// A type that can be stored because it maps itself to one that the library knows.
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
/// The persisted type is a scalar, an enum or a class of embedded objects, never an optional or a
/// collection; the mapped type itself may be optional, and an element of collections. Schema and
/// dynamic access know the persisted type only, so that a property may change between the two
/// without a migration. A property without an initial value starts with what the default of the
/// persisted type maps to; so does one that is given nil, or whose embedded object is missing.
///
/// Use ``FailableCustomPersistable`` where not every persisted value can be mapped.
public protocol CustomPersistable: _CustomPersistable {
    /// The value that a stored one stands for.
    init(persistedValue: PersistedType)
    /// The value as it is to be stored.
    var persistableValue: PersistedType { get }
}

/// A type that can be stored, like a ``CustomPersistable``, of which some persisted values may stand
/// for no value.
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
/// A stored value that cannot be mapped reads as nil where the property, or the element of a
/// collection, is optional, and stops the program where it is not. So does a property without an
/// initial value if the default of the persisted type cannot be mapped, once it is read or its object
/// added. Persisted values given by name are stored whether they can be mapped or not; only an
/// unmanaged object has no place for one that cannot, and the program stops.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// The value that a stored one stands for; nil if there is none.
    init?(persistedValue: PersistedType)
    /// The value as it is to be stored.
    var persistableValue: PersistedType { get }
}

/// A type that the application maps to one that is stored.
public protocol _CustomPersistable: _MappedPersistable {}

extension _CustomPersistable {
    public static func _makeValueOfNull() -> Self? { _makeDefault() }
}

extension CustomPersistable {
    /// By what is stored.
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
    /// By what is stored.
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
