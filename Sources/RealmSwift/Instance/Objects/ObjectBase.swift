import CRealmSystem
import StorageEngine

/// The base class of all model classes. Model classes derive from ``Object``.
///
/// An instance is *unmanaged* until it is added to a Realm: its properties are ordinary stored
/// values. After that it is *managed*: its properties read and write the Realm, and can be used
/// only on the thread of that Realm.
open class ObjectBase: Hashable, CustomStringConvertible {
    // The state that a property read needs. It consists of raw memory and integers, outside of the
    // runtime's exclusivity checks, so that a read neither counts references nor calls the runtime.
    // This is safe because only the thread of the object's Realm accesses it.

    /// The access context of the object's managed class, which owns it; nil while the object is
    /// unmanaged.
    @exclusivity(unchecked) @usableFromInline
    final var _context: UnsafeMutablePointer<_AccessContext>?
    /// The leaf that held the row when the connection's layout stamp was `_stamp`.
    @exclusivity(unchecked) @usableFromInline final var _leaf: UnsafeRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _stamp = UInt64.max
    @exclusivity(unchecked) @usableFromInline final var _row: Int32 = 0
    /// The generation of the Realm in which this accessor was made; see `ManagedClass`.
    @exclusivity(unchecked) final var _birth: UInt32 = 0
    @exclusivity(unchecked) @usableFromInline final var _key: Int64 = 0
    /// The Realm of a managed object. The reference keeps the Realm and the context alive.
    @exclusivity(unchecked) final var _realm: RealmInstance?

    /// Creates an unmanaged object.
    public required init() {}

    /// Returns the name under which objects of this class are stored.
    ///
    /// The name does not include the module. The name of a nested class begins with the name of the
    /// enclosing class: `Outer_Inner`.
    open class func className() -> String { ClassName.of(self) }

    /// Returns a Boolean value that indicates whether Realms without an explicit list of classes
    /// store this class. The default is true.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// Returns the name of the primary key; nil unless overridden.
    ///
    /// This is an older alternative to `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// Returns the names of the indexed properties; empty unless overridden.
    ///
    /// This is an older alternative to `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Returns the names of the properties that are not stored; empty unless overridden.
    ///
    /// An override has no effect: properties with `@Persisted` are always stored, and all others,
    /// including computed properties, never are.
    open class func ignoredProperties() -> [String] { [] }

    /// Returns the names under which properties are stored, by their names in Swift; empty unless
    /// overridden.
    ///
    /// ```swift
    /// class Person: Object {
    ///     @Persisted var firstName: String
    ///     override class func propertiesMapping() -> [String: String] {
    ///         ["firstName": "first_name"]
    ///     }
    /// }
    /// ```
    /// The application uses the Swift name everywhere: in values for
    /// ``Realm/create(_:value:update:)``, in subscripts and in queries. Only the file contains the
    /// stored name. A property can thus be renamed in Swift without a migration.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// A Boolean value that indicates whether the object was deleted or its Realm invalidated.
    ///
    /// Reading any other property of such an object stops the program.
    public final var isInvalidated: Bool {
        _context != nil && !_isPlaced && !_find()
    }

    /// Returns a Boolean value that indicates whether two objects are equal.
    ///
    /// Two objects are equal if they are the same instance. Managed objects of a class with a
    /// primary key, and frozen objects, are also equal if they represent the same object of the
    /// same Realm.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool { left.isEqual(right) }

    /// Returns a Boolean value that indicates whether this object equals another one. `==` calls
    /// this method.
    ///
    /// A subclass that overrides this method must also override ``hash``.
    open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        return _hasIdentity && _isSameRow(as: other)
    }

    /// The hash value of the object.
    ///
    /// It is based on the object's key for a managed object with a primary key and for a frozen
    /// object, and on the identity of the instance otherwise. The hash value of an instance can
    /// therefore change when it is added to a Realm.
    open var hash: Int {
        if _hasIdentity { return _key.hashValue }
        return ObjectIdentifier(self).hashValue
    }

    /// Hashes the value of ``hash``.
    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Accesses the property with a name.
    ///
    /// Numbers are read as `NSNumber`, which can be cast to every numeric type that represents the
    /// value, and enums as their raw values. An unmanaged object in a new value, also within an
    /// array or a dictionary, is added to the Realm. Setting a list, set or map to nil removes its
    /// elements.
    ///
    /// - Precondition: The property exists, and a new value fits it.
    open subscript(key: String) -> Any? {
        get {
            guard let value = _value(ofPropertyNamed: key) else { _stopForUnknownName(key) }
            return value
        }
        set {
            if !_set(newValue, forPropertyNamed: key) { _stopForUnknownName(key) }
        }
    }

    /// Returns the value of a property by name, or ``isInvalidated`` for the name `"invalidated"`.
    ///
    /// Numbers are returned as `NSNumber`, which can be cast to every numeric type that represents
    /// the value, and enums as their raw values. Other names are passed to
    /// ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? {
        if let value = _value(ofPropertyNamed: key) { return value }
        if key == "invalidated" || key == "isInvalidated" { return boxed(isInvalidated) }
        return value(forUndefinedKey: key)
    }

    /// Sets a property by name. Names that are not properties are passed to
    /// ``setValue(_:forUndefinedKey:)``.
    ///
    /// - Precondition: The value fits the property.
    open func setValue(_ value: Any?, forKey key: String) {
        if !_set(value, forPropertyNamed: key) { setValue(value, forUndefinedKey: key) }
    }

    /// Returns the value for a name that is not a property. ``value(forKey:)`` calls this method,
    /// which stops the program unless overridden.
    open func value(forUndefinedKey key: String) -> Any? { _stopForUnknownName(key) }

    /// Sets the value for a name that is not a property. ``setValue(_:forKey:)`` calls this method,
    /// which stops the program unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { _stopForUnknownName(key) }

    /// A description of the object with its properties and linked objects, up to five levels deep.
    open var description: String { ObjectPrinter.describe(self) }

    // MARK: Overridden by `DynamicObject`

    /// The same object as an instance of its Swift class, if it is known.
    var _inKnownClass: ObjectBase { self }

    /// Sets a property to a value given by the application. Stops the program if it does not fit.
    func _setByName(_ value: Any?, of property: PropertyModel, in model: ClassModel) {
        _set(value, of: property, in: model)
    }

    /// Returns the class of the objects that a link of an object of this class refers to.
    class func _linkTarget(
        _ type: ObjectBase.Type, named name: String, in realm: RealmInstance
    ) -> ManagedClass {
        realm.managedClass(for: type)
    }
}

/// The data for property accesses that all objects of one class in one Realm share.
@frozen @usableFromInline
struct _AccessContext {
    /// The identity of the Realm's thread. Two values are no thread's identity: 0, which stands for
    /// none, and ``everyThread``.
    @usableFromInline var thread: UInt
    /// A pointer to the connection's layout stamp. That of a frozen Realm is
    /// ``FrozenState/stamp``, which other threads may change.
    @usableFromInline let stamp: UnsafeMutablePointer<UInt64>
    /// The columns, indexed by half the byte offset of the property wrapper in the object. A
    /// wrapper has at least two bytes, so no two share an entry.
    @usableFromInline let columns: UnsafeMutablePointer<_ColumnSlot>
    @usableFromInline let writeState: UnsafeMutablePointer<WriteState>
    /// The column of the primary key; -1 if there is none.
    @usableFromInline let primaryKeyColumn: Int
    /// The `ManagedClass` that owns this memory.
    let owner: UnsafeRawPointer

    /// The threads of a frozen Realm.
    @inlinable static var everyThread: UInt { .max }

    /// Whether the calling thread may use a place that was found when the stamp was `placeStamp`,
    /// and it is still the place.
    @inlinable @inline(__always)
    func isCurrent(_ placeStamp: UInt64) -> Bool {
        let thread = thread
        if thread == realm_thread_identity() { return stamp.pointee == placeStamp }
        return thread == Self.everyThread && realm_load_relaxed_64(stamp) == placeStamp
    }
}

/// The location of a property in a table.
@frozen @usableFromInline
struct _ColumnSlot {
    /// The position in the table's definition.
    @usableFromInline var index: UInt16
    /// The tag of the column in a node that stores it.
    @usableFromInline var tag: ColumnTag

    @usableFromInline
    init(index: UInt16, tag: ColumnTag) {
        self.index = index
        self.tag = tag
    }
}

extension ObjectBase {
    /// The class of a managed object in its Realm; nil while unmanaged.
    final var _managedClass: ManagedClass? {
        guard let context = _context else { return nil }
        // Unretained is safe: the managed class lives as long as its Realm, which `_realm` retains.
        return Unmanaged<ManagedClass>.fromOpaque(context.pointee.owner).takeUnretainedValue()
    }

    /// Whether another instance can equal this one: the object is managed, and has a primary key or
    /// is frozen.
    private final var _hasIdentity: Bool {
        guard let managedClass = _managedClass else { return false }
        return managedClass.model.primaryKey != nil || managedClass.isFrozen
    }

    /// The model of the object's class.
    final var _model: ClassModel { _managedClass?.model ?? ClassModel.of(type(of: self)) }

    /// Returns whether both are the same instance, or represent the same existing object of the
    /// same Realm.
    final func _isSameRow(as other: ObjectBase) -> Bool {
        if self === other { return true }
        guard let itsClass = _managedClass, let otherClass = other._managedClass,
            let table = itsClass.table
        else { return false }
        // Comparing keys is not enough, because a key can be reused after the transaction that made
        // it was cancelled.
        return table === otherClass.table && _key == other._key && !isInvalidated
            && !other.isInvalidated
    }

    /// Makes this object the accessor of `key`. The first read looks up its row.
    final func _attach(to managedClass: ManagedClass, key: Int64) {
        _realm = managedClass.realm
        _context = managedClass.context
        _key = key
        _stamp = .max
        _birth = managedClass.realm.generation
        if managedClass.model.isEncodable { managedClass.model.markManaged(self) }
    }

    /// Caches the location of the row, which is valid until the layout stamp changes.
    final func _place(at location: RowLocation, stamp: UInt64) {
        _leaf = location.leaf.base
        _row = Int32(truncatingIfNeeded: location.row)
        _stamp = stamp
    }

    /// Returns the offset of a stored property from the start of the object, in bytes.
    @inlinable @inline(__always)
    final func _offset(of storage: UnsafeMutableRawPointer) -> Int {
        storage - Unmanaged.passUnretained(self).toOpaque()
    }

    /// Returns the address of a stored property.
    @inlinable @inline(__always)
    final func _storage(at offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }
}
