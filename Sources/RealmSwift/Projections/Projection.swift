import StorageEngine

/// What every projection has.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    /// The class of the objects that are projected.
    associatedtype Root: ObjectBase & RealmCollectionValue
    /// The object that is projected.
    var rootObject: Root { get }
    /// Creates the projection of an object.
    init(projecting object: Root)
}

/// A view of some properties of an object, under names, and with types, of one's own.
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
/// A projection is as live as its object: reading a property reads the object's, and writing one
/// writes it, inside a write transaction. It keeps no values itself.
open class Projection<Root: ObjectBase & RealmCollectionValue>: ProjectionObservable,
    RealmCollectionValue, CustomStringConvertible
{
    /// The type that is stored.
    public typealias PersistedType = Root

    /// The object that is projected.
    public let rootObject: Root

    /// Creates the projection of an object, managed or not.
    ///
    /// Stops the program if a ``Projected`` property of the class leads to something that is not
    /// persisted.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionModel.of(self)
    }

    /// Projections are equal when they project the same object.
    public static func == (left: Projection, right: Projection) -> Bool {
        left.rootObject._isSameRow(as: right.rootObject)
    }

    /// By the object that is projected.
    public func hash(into hasher: inout Hasher) {
        if rootObject._context != nil {
            hasher.combine(rootObject._key)
        } else {
            hasher.combine(ObjectIdentifier(rootObject))
        }
    }

    /// The projected properties, with the paths that they lead along and their values.
    open var description: String { ObjectPrinter.describe(self) }
}

extension Projection {
    /// The Realm that manages the object; nil while it is unmanaged.
    public final var realm: Realm? { rootObject.realm }

    /// True once the object has been deleted, or its Realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
}

extension Projection: RealmFetchable {
    /// The name under which the objects are stored that are projected.
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
