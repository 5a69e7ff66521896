import Foundation
import StorageEngine

/// A property wrapper that marks a property of a model class as stored in the Realm.
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
/// The type of a property is one of these:
///
/// - `Bool`, a signed integer, `Float`, `Double`, `String`, `Data`, `Date`, ``Decimal128``,
///   ``ObjectId``, `UUID`, a ``PersistableEnum``, a ``CustomPersistable`` or
///   ``FailableCustomPersistable`` type, or an optional of one of these
/// - ``AnyRealmValue``, which is never optional
/// - an optional model class
/// - ``List``, ``MutableSet``, ``Map`` or ``LinkingObjects``
///
/// A primary key is an integer, a `String`, an ``ObjectId`` or a `UUID`, or an enum or custom type
/// stored as one of these, optional or not. The same types, `Bool` and `Date` can be indexed.
///
/// A property without an initial value starts as zero, empty, nil, the current date, a new
/// ``ObjectId`` or `UUID`, or the first case of an enum. This default is made by the first read. An
/// initial value in the declaration is evaluated for every instance, including instances that only
/// read a managed object. Strings and data can have up to 16 MiB.
///
/// A property of a managed object can be read only on the thread of its Realm, and written only in
/// a write transaction; anything else stops the program. Assigning to a list, set or map copies the
/// elements into the existing collection. A primary key can be changed only while its object is
/// unmanaged.
@propertyWrapper @frozen
public struct Persisted<Value: _Persistable> {
    @usableFromInline var state: State
    /// The attributes of the property, read once per class from the instance that schema discovery
    /// makes.
    @usableFromInline let attributes: _PersistedAttributes

    @frozen @usableFromInline
    enum State {
        /// Declared without a value, and not read yet.
        case unset
        case value(Value)
        /// The Realm holds the value. This state is only set where the wrapper needs it; see
        /// `ClassModel.isEncodable`.
        case managed
    }

    // Transparent, as the public ones are: in builds without optimisation a call would need the
    // type's metadata, which leads to all classes that the property's class links to. LLVM goes
    // through them for each function that does.
    @inlinable @_transparent
    init(state: State, attributes: _PersistedAttributes) {
        self.state = state
        self.attributes = attributes
    }

    /// Creates a property without an initial value.
    @inlinable @_transparent
    public init() { self.init(state: .unset, attributes: _PersistedAttributes(rawValue: 0)) }

    /// Creates a property with an initial value.
    @inlinable @_transparent
    public init(wrappedValue value: Value) {
        self.init(state: .value(value), attributes: _PersistedAttributes(rawValue: 0))
    }

    /// The value, which is not available here: within a class, the compiler uses the static
    /// subscript.
    @available(
        *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
    )
    public var wrappedValue: Value {
        get { fatalError("@Persisted can only be used as a property on a Realm object") }
        set { fatalError("@Persisted can only be used as a property on a Realm object") }
    }

    /// Accesses the property of `object`: its own value while it is unmanaged, the Realm's value
    /// after that.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always) get { read(object, _storage(of: storageKeyPath, in: object)) }
        @inline(__always) set {
            write(newValue, object, at: _storage(of: storageKeyPath, in: object))
        }
    }

    /// Returns the value of the property of `object` whose wrapper is at `storage`.
    ///
    /// This function is not inlined, so the compiler makes one copy per value type in a module.
    /// Inlined, it would be compiled for every property, which took two thirds of the compile time
    /// of a module of models.
    @inlinable @inline(never)
    static func read(_ object: ObjectBase, _ storage: UnsafeMutableRawPointer) -> Value {
        if object._context != nil { return Value._get(object, object._offset(of: storage)) }
        return value(at: storage)
    }

    /// Sets the property of `object` whose wrapper is at `storage`. Not inlined, for the same
    /// reason as ``read(_:_:)``.
    @inlinable @inline(never)
    static func write(
        _ value: Value, _ object: ObjectBase, at storage: UnsafeMutableRawPointer
    ) {
        if object._context != nil {
            Value._set(value, object, at: object._offset(of: storage))
        } else {
            assign(value, at: storage)
        }
    }

    /// Returns the address of the wrapper.
    ///
    /// The key path is used for nothing else, and nothing is called while it is in use. The
    /// compiler can therefore prove that no two accesses to a property overlap, and omits the check
    /// at run time, which costs 10 ns per read.
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

    /// Returns the unmanaged value. Makes the default if there is none yet.
    @inlinable @inline(__always)
    static func value(at storage: UnsafeMutableRawPointer) -> Value {
        let wrapper = storage.assumingMemoryBound(to: Self.self)
        if case .value(let value) = wrapper.pointee.state { return value }
        return makeDefault(at: storage)
    }

    /// Makes the default value and stores it.
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

    /// Changes the unmanaged value. For a collection, replaces its elements.
    @inlinable @inline(__always)
    static func assign(_ value: Value, at storage: UnsafeMutableRawPointer) {
        if Value._isCollection {
            Value._assignElements(of: value, to: self.value(at: storage))
        } else {
            storage.assumingMemoryBound(to: Self.self).pointee.state = .value(value)
        }
    }
}

/// The attributes given to `@Persisted(…)`.
@frozen @usableFromInline
struct _PersistedAttributes: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable @_transparent init(rawValue: UInt8) { self.rawValue = rawValue }
    @inlinable static var primaryKey: Self { Self(rawValue: 1) }
    @inlinable static var indexed: Self { Self(rawValue: 2) }
}
