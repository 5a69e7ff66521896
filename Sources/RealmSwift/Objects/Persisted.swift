import Foundation
import StorageEngine

/// Declares a property of a model class as stored in the Realm.
///
/// ```swift
/// class Person: Object {
///     @Persisted(primaryKey: true) var id: UUID
///     @Persisted(indexed: true) var name = "unknown"
///     @Persisted var birthdate: Date?
///     @Persisted var dogs: List<Dog>
///     @Persisted var employer: Company?
/// }
/// ```
/// Types: `Bool`, the signed integers, `Float`, `Double`, `String`, `Data`, `Date`, ``Decimal128``,
/// ``ObjectId``, `UUID`, enums that are ``PersistableEnum``, types that are ``CustomPersistable`` or
/// ``FailableCustomPersistable``, and the optionals of all these; ``AnyRealmValue``, which is never
/// optional; optional model classes; ``List``, ``MutableSet``, ``Map`` and ``LinkingObjects``.
///
/// A primary key is an integer, a `String`, an ``ObjectId`` or a `UUID`, or an enum or custom type
/// that is stored as one, optional or not. These can be indexed, and `Bool` and `Date` too.
///
/// A property without an initial value starts at zero, empty, nil, the current date, a new
/// ``ObjectId`` or `UUID`, the first case of an enum. The value is made when it is first read; one
/// that is written behind the declaration is made for every instance, also for those that only read
/// an object of a Realm. Strings and data hold up to 16 MiB.
///
/// On a managed object, reading is allowed on the thread of its Realm only, writing inside a write
/// transaction only; anything else stops the program. Assigning to a property that is a list, set or
/// map copies the elements into the existing one. A primary key can be changed while its object is
/// unmanaged only.
@propertyWrapper @frozen
public struct Persisted<Value: _Persistable> {
    @usableFromInline var state: State
    /// Read once for each class, from the instance that schema discovery makes.
    @usableFromInline let attributes: _PersistedAttributes

    @frozen @usableFromInline
    enum State {
        /// Declared without a value, and not yet read.
        case unset
        case value(Value)
        /// The value is the Realm's. Marked only where the wrapper has to know; see
        /// `ClassModel.isEncodable`.
        case managed
    }

    @inlinable @inline(__always)
    init(state: State, attributes: _PersistedAttributes) {
        self.state = state
        self.attributes = attributes
    }

    /// A property without an initial value.
    @inlinable @inline(__always)
    public init() { self.init(state: .unset, attributes: []) }

    /// A property with an initial value.
    @inlinable @inline(__always)
    public init(wrappedValue value: Value) { self.init(state: .value(value), attributes: []) }

    /// Not available: the compiler uses the subscript below inside of classes.
    @available(
        *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
    )
    public var wrappedValue: Value {
        get { fatalError("@Persisted can only be used as a property on a Realm object") }
        set { fatalError("@Persisted can only be used as a property on a Realm object") }
    }

    /// The property of `object`: its own value while it is unmanaged, the Realm's from then on.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always) get { read(object, _storage(of: storageKeyPath, in: object)) }
        @inline(__always) set { write(newValue, object, _storage(of: storageKeyPath, in: object)) }
    }

    /// The value of the property of `object` whose wrapper lies at `storage`.
    ///
    /// A call, of which the compiler makes one copy for each type of values in a module. Inlined, it
    /// would be compiled for each property, which took two thirds of the time for a module of models.
    @inlinable @inline(never)
    static func read(_ object: ObjectBase, _ storage: UnsafeMutableRawPointer) -> Value {
        if object._context != nil { return Value._get(object, object._offset(of: storage)) }
        return value(at: storage)
    }

    /// Sets the property of `object` whose wrapper lies at `storage`. A call, as ``read(_:_:)`` is.
    @inlinable @inline(never)
    static func write(
        _ value: Value, _ object: ObjectBase, _ storage: UnsafeMutableRawPointer
    ) {
        if object._context != nil {
            Value._set(value, object, object._offset(of: storage))
        } else {
            assign(value, at: storage)
        }
    }

    /// Where the wrapper lies.
    ///
    /// Nothing else is done with the key path, and nothing is called while it is in use. So the
    /// compiler sees that no two uses of a property overlap, and does not check that at run time
    /// (10 ns for a read).
    @inlinable @inline(__always)
    static func _storage<EnclosingSelf: ObjectBase>(
        of storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>,
        in object: EnclosingSelf
    ) -> UnsafeMutableRawPointer {
        withUnsafeMutablePointer(to: &object[keyPath: storageKeyPath]) {
            UnsafeMutableRawPointer($0)
        }
    }

    // MARK: Unmanaged values

    /// The unmanaged value, made now if there is none.
    @inlinable @inline(__always)
    static func value(at storage: UnsafeMutableRawPointer) -> Value {
        let wrapper = storage.assumingMemoryBound(to: Self.self)
        if case .value(let value) = wrapper.pointee.state { return value }
        return makeDefault(at: storage)
    }

    /// The default value is made once and kept.
    @usableFromInline
    static func makeDefault(at storage: UnsafeMutableRawPointer) -> Value {
        let value: Value
        if let tracer = _KeyPathTracer.active {
            tracer.didRead(storage)
            value = Value._makeTraced(tracer)
        } else {
            value = Value._makeDefault()
        }
        storage.assumingMemoryBound(to: Self.self).pointee.state = .value(value)
        return value
    }

    /// Changes the unmanaged value; of a collection, its elements.
    @inlinable @inline(__always)
    static func assign(_ value: Value, at storage: UnsafeMutableRawPointer) {
        if Value._isCollection {
            Value._assignElements(of: value, to: self.value(at: storage))
        } else {
            storage.assumingMemoryBound(to: Self.self).pointee.state = .value(value)
        }
    }
}

/// What `@Persisted(…)` says about a property besides its type.
@frozen @usableFromInline
struct _PersistedAttributes: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }
    @inlinable static var primaryKey: Self { Self(rawValue: 1) }
    @inlinable static var indexed: Self { Self(rawValue: 2) }
}
