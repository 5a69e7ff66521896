/// An enum that can be the type of a `@Persisted` property and of the elements of collections. Its
/// raw values are stored; they are integers, `Float`, `Double` or `String`.
///
/// ```swift
/// enum TaskStatus: String, PersistableEnum {
///     case notStarted, inProgress, complete
/// }
///
/// class Task: Object {
///     @Persisted var name: String
///     @Persisted var status = TaskStatus.notStarted
///     @Persisted var lastStatus: TaskStatus?
/// }
/// ```
/// A property without an initial value starts with the first case. Cases are compared by their raw
/// values. Dynamic access, such as `task["status"]`, reads and writes raw values.
///
/// A stored raw value without a case reads as nil if the property, or the element of a collection,
/// is optional; otherwise the program stops. Dynamic access, as in `task["status"] = "lost"` or
/// ``Realm/create(_:value:update:)``, stores raw values even if there is no case for them. An
/// unmanaged object cannot hold such a value, so setting it stops the program.
public protocol PersistableEnum: _MappedPersistable, RawRepresentable, CaseIterable, RealmEnum,
    MinMaxType, Comparable, _DefaultConstructible
where RawValue: Comparable & _PersistableScalar, PersistedType == RawValue {}

extension PersistableEnum {
    /// Creates the first case.
    ///
    /// - Precondition: The enum has a case.
    public init() {
        guard let first = Self.allCases.first else {
            stop("'\(Self.self)' has no cases.")
        }
        self = first
    }

    /// Returns a Boolean value that indicates whether the first raw value is less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    @inlinable @inline(__always)
    public static func _fromPersisted(_ value: RawValue) -> Self? { Self(rawValue: value) }

    @inlinable @inline(__always)
    public var _persisted: RawValue { rawValue }

    public static func _makeValueOfNull() -> Self? { nil }
    public static func _makeDefault() -> Self { Self() }
}

/// An enum that can be stored. Declare ``PersistableEnum`` instead.
public protocol RealmEnum: RealmOptionalType, _RealmSchemaDiscoverable {}

/// A type with a default value.
public protocol _DefaultConstructible {
    /// Creates the default value.
    init()
}
