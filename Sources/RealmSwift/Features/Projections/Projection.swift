import StorageEngine

/// The requirements of all projections.
public protocol ProjectionObservable: AnyObject, ThreadConfined, _KeyPathRoot {
    /// The class of the projected objects.
    associatedtype Root: ObjectBase & RealmCollectionValue
    /// The projected object.
    var rootObject: Root { get }
    /// Creates the projection of an object.
    init(projecting object: Root)
}

/// A view of some properties of an object, with names and types of its own.
///
/// ```swift
/// class Person: Object {
///     @Persisted var firstName: String
///     @Persisted var address: Address?
///     @Persisted var friends: List<Person>
/// }
///
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var name
///     @Projected(\Person.address?.city) var homeCity
///     @Projected(\Person.friends.projectTo.firstName) var friendsNames
/// }
///
/// let people = realm.objects(PersonProjection.self)
/// ```
/// A projection is live: reading one of its properties reads the property of the object, and
/// writing one writes that property, which requires a write transaction. The projection itself
/// stores no values.
open class Projection<Root: ObjectBase & RealmCollectionValue>: ProjectionObservable,
    RealmCollectionValue, CustomStringConvertible
{
    /// The type that is stored.
    public typealias PersistedType = Root

    /// The projected object.
    public let rootObject: Root

    /// Creates the projection of a managed or unmanaged object.
    ///
    /// - Precondition: All ``Projected`` properties of the class refer to persisted properties.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionModel.of(self)
    }

    /// Returns a Boolean value that indicates whether both project the same object.
    public static func == (left: Projection, right: Projection) -> Bool {
        left.rootObject._isSameRow(as: right.rootObject)
    }

    /// Hashes the identity of the projected object.
    public func hash(into hasher: inout Hasher) {
        if rootObject._context != nil {
            hasher.combine(rootObject._key)
        } else {
            hasher.combine(ObjectIdentifier(rootObject))
        }
    }

    /// A description of the projected properties with their key paths and values.
    open var description: String { ObjectPrinter.describe(self) }
}

extension Projection {
    /// The Realm that manages the object; nil for an unmanaged object.
    public final var realm: Realm? { rootObject.realm }

    /// A Boolean value that indicates whether the object was deleted or its Realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }

    /// A Boolean value that indicates whether the projected object is frozen.
    public final var isFrozen: Bool { rootObject.isFrozen }
}

extension ProjectionObservable {
    /// Returns a projection of a frozen copy of the object; see ``ObjectBase/freeze()``. A
    /// projection of a frozen object returns itself.
    public func freeze() -> Self { isFrozen ? self : Self(projecting: rootObject.freeze()) }

    /// Returns a projection of the live object; nil if it was deleted. See ``ObjectBase/thaw()``. A
    /// projection of a live object returns itself.
    public func thaw() -> Self? {
        guard let object = rootObject.thaw() else { return nil }
        return object === rootObject ? self : Self(projecting: object)
    }

    /// Returns the projection of the same object in another Realm of the file; nil if the object
    /// does not exist there.
    public func _counterpart(in realm: Realm) -> Self? {
        rootObject._counterpart(in: realm).map { Self(projecting: $0) }
    }
}

extension Projection: RealmFetchable {
    /// Returns the name under which the projected objects are stored.
    public static func className() -> String { Root.className() }
    public static var _fetchedClass: ObjectBase.Type { Root.self }
}

// The stored form of a projection is a link to its object.
extension RealmCollectionValue where Self: ProjectionObservable {
    public static var _elementShape: _PropertyShape { Root._elementShape }

    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self {
        Self(projecting: Root._decode(scalar, source))
    }

    public static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar {
        Root._encode(value.rootObject, scratch)
    }

    public static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar? {
        Root._encodeSought(value.rootObject, scratch)
    }

    public static func _convertElement(
        _ value: Any?, _ conversion: _ValueConversion
    ) -> Self? {
        Root._convertElement(value, conversion).map(Self.init(projecting:))
    }

    public static func _eraseElement(_ value: Self) -> Any? { value }
}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension Projection: @unchecked Sendable {}
