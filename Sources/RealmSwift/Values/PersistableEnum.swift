/// An enum that can be the type of a `@Persisted` property, and of the elements of collections. Its
/// raw values are stored: integers, `Float`, `Double` or `String`.
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
/// A stored raw value that no case has reads as nil where the property, or the element of a
/// collection, is optional, and stops the program where it is not. Raw values given by name, as in
/// `task["status"] = "lost"` or ``Realm/create(_:value:update:)``, are stored whether a case has them
/// or not. An unmanaged object has no place for one that no case has: the program stops.
public protocol PersistableEnum: _MappedPersistable, RawRepresentable, CaseIterable, RealmEnum,
    MinMaxType, Comparable, _DefaultConstructible
where RawValue: Comparable & _PersistableScalar, PersistedType == RawValue {}

extension PersistableEnum {
    /// The first case.
    public init() {
        guard let first = Self.allCases.first else {
            stop("'\(Self.self)' has no cases.")
        }
        self = first
    }

    /// By raw value.
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

/// A type with a value of its own accord.
public protocol _DefaultConstructible {
    /// The value.
    init()
}
