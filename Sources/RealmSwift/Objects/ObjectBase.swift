import CRealmSystem
import StorageEngine

/// The base of every model class. Model classes derive from ``Object``.
///
/// An instance is *unmanaged* until it is added to a Realm: its properties are ordinary stored
/// values. From then on it is *managed*: its properties read and write the Realm it belongs to, on
/// the thread of that Realm only.
open class ObjectBase: Hashable, CustomStringConvertible {
    // The fields that a property read needs. They are raw memory and integers, outside the
    // runtime's exclusivity checks, so that a read neither counts references nor calls the runtime.
    // Only the thread of the object's Realm touches them.

    /// Nil while the object is unmanaged. Owned by the object's managed class.
    @exclusivity(unchecked) @usableFromInline
    final var _context: UnsafeMutablePointer<_AccessContext>?
    /// The leaf that held the row when the connection's layout stamp was `_stamp`.
    @exclusivity(unchecked) @usableFromInline final var _leaf: UnsafeRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _stamp = UInt64.max
    @exclusivity(unchecked) @usableFromInline final var _row: Int32 = 0
    /// The generation of the Realm in which this accessor was made; see `ManagedClass`.
    @exclusivity(unchecked) final var _birth: UInt32 = 0
    @exclusivity(unchecked) @usableFromInline final var _key: Int64 = 0
    /// Keeps the Realm, and with it the context, alive.
    @exclusivity(unchecked) final var _realm: RealmInstance?

    /// Creates an unmanaged object.
    public required init() {}

    /// The name under which objects of this class are stored.
    ///
    /// The module's name is left out; the name of a nested class begins with that of the class
    /// around it: `Outer_Inner`.
    open class func className() -> String { ClassName.of(self) }

    /// Whether Realms without an explicit list of classes store this one. True unless overridden.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// The name of the primary key; nil unless overridden. An older way to declare what
    /// `@Persisted(primaryKey: true)` declares.
    open class func primaryKey() -> String? { nil }

    /// The names of properties to index; none unless overridden. An older way to declare what
    /// `@Persisted(indexed: true)` declares.
    open class func indexedProperties() -> [String] { [] }

    /// The names of properties that are not stored; none unless overridden. There is no need to list
    /// any: properties without `@Persisted`, and computed ones, are never stored, and those with it
    /// always are.
    open class func ignoredProperties() -> [String] { [] }

    /// The names under which properties are stored, by their names in Swift; empty unless overridden.
    ///
    /// ```swift
    /// class Person: Object {
    ///     @Persisted var firstName: String
    ///     override class func propertiesMapping() -> [String: String] {
    ///         ["firstName": "first_name"]
    ///     }
    /// }
    /// ```
    /// The application uses the name in Swift everywhere: in values for ``Realm/create(_:value:update:)``,
    /// in subscripts, in queries. Only the file has the other one. So a property can be renamed in
    /// Swift without a migration.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// True once the object has been deleted, or its Realm invalidated.
    ///
    /// Reading any other property of such an object stops the program.
    public final var isInvalidated: Bool {
        _context != nil && !_isPlaced && !_find()
    }

    /// Objects are equal when they are the same instance, or stand for the same object of the same
    /// Realm and their class has a primary key.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool { left.isEqual(right) }

    /// What `==` says of this object and another. A subclass that overrides it overrides ``hash``.
    open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        return _managedClass?.model.primaryKey != nil && _isSameRow(as: other)
    }

    /// By primary key for a managed object that has one, otherwise by identity. So the hash of an
    /// instance may change when it is added to a Realm.
    open var hash: Int {
        if let managedClass = _managedClass, managedClass.model.primaryKey != nil {
            return _key.hashValue
        }
        return ObjectIdentifier(self).hashValue
    }

    /// Hashes ``hash``.
    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Reads or writes the property named `key`. Numbers are given as `NSNumber`, which casts to
    /// every numeric type that holds the value; enums as their raw values.
    ///
    /// An unmanaged object that is set, also one in an array or a dictionary, is added to the
    /// Realm. Nil empties a list, set or map. A name that does not exist, or a value that does not fit,
    /// stops the program.
    open subscript(key: String) -> Any? {
        get {
            guard let value = _value(ofPropertyNamed: key) else { _stopForUnknownName(key) }
            return value
        }
        set {
            if !_set(newValue, forPropertyNamed: key) { _stopForUnknownName(key) }
        }
    }

    /// The value of the property named `key`, or, for `"invalidated"`, whether the object is.
    ///
    /// Numbers are given as `NSNumber`, which casts to every numeric type that holds the value;
    /// enums as their raw values. For other names see ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? {
        if let value = _value(ofPropertyNamed: key) { return value }
        if key == "invalidated" || key == "isInvalidated" { return boxed(isInvalidated) }
        return value(forUndefinedKey: key)
    }

    /// Sets the property named `key`. A value that does not fit stops the program. For names that
    /// are no properties see ``setValue(_:forUndefinedKey:)``.
    open func setValue(_ value: Any?, forKey key: String) {
        if !_set(value, forPropertyNamed: key) { setValue(value, forUndefinedKey: key) }
    }

    /// What ``value(forKey:)`` gives for a name that is no property. Stops the program unless
    /// overridden.
    open func value(forUndefinedKey key: String) -> Any? { _stopForUnknownName(key) }

    /// What ``setValue(_:forKey:)`` does with a name that is no property. Stops the program unless
    /// overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { _stopForUnknownName(key) }

    /// The object with its properties and what they link to, five levels deep.
    open var description: String { ObjectPrinter.describe(self) }
}

/// What property reads of all objects of one class in one Realm have in common.
@frozen @usableFromInline
struct _AccessContext {
    /// The thread of the Realm; 0, which equals no thread, once that has ended.
    @usableFromInline var thread: UInt
    /// The connection's layout stamp.
    @usableFromInline let stamp: UnsafeMutablePointer<UInt64>
    /// Indexed by half the byte offset of the property wrapper in the object. A wrapper is at
    /// least two bytes long, so no two share an entry.
    @usableFromInline let columns: UnsafeMutablePointer<_ColumnSlot>
    @usableFromInline let writeState: UnsafeMutablePointer<WriteState>
    /// -1 without a primary key.
    @usableFromInline let primaryKeyColumn: Int
    /// The `ManagedClass` that owns this memory.
    let owner: UnsafeRawPointer
}

/// Where the table keeps a property.
@frozen @usableFromInline
struct _ColumnSlot {
    /// The position in the table's definition.
    @usableFromInline var index: UInt16
    /// What a node says of the column where it stores it.
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
        // The managed class lives as long as its Realm, which `_realm` holds.
        return Unmanaged<ManagedClass>.fromOpaque(context.pointee.owner).takeUnretainedValue()
    }

    /// What the library knows of the object's class.
    final var _model: ClassModel { _managedClass?.model ?? ClassModel.of(type(of: self)) }

    /// Whether both are one instance, or stand for the same object of the same Realm, which exists.
    final func _isSameRow(as other: ObjectBase) -> Bool {
        if self === other { return true }
        guard let itsClass = _managedClass, let otherClass = other._managedClass,
            let table = itsClass.table
        else { return false }
        // A key may be used again once the transaction that made it was cancelled.
        return table === otherClass.table && _key == other._key && !isInvalidated
            && !other.isInvalidated
    }

    /// Makes this object the accessor of `key`. Its row is looked up by the first read.
    final func _attach(to managedClass: ManagedClass, key: Int64) {
        _realm = managedClass.realm
        _context = managedClass.context
        _key = key
        _stamp = .max
        _birth = managedClass.realm.generation
        if managedClass.model.isEncodable { managedClass.model.markManaged(self) }
    }

    /// Remembers where the row lies until the layout stamp changes.
    final func _place(at location: RowLocation, stamp: UInt64) {
        _leaf = location.leaf.base
        _row = Int32(truncatingIfNeeded: location.row)
        _stamp = stamp
    }

    /// The distance of a stored property from the start of the object.
    @inlinable @inline(__always)
    final func _offset(of storage: UnsafeMutableRawPointer) -> Int {
        storage - Unmanaged.passUnretained(self).toOpaque()
    }

    /// The address of a stored property.
    @inlinable @inline(__always)
    final func _storage(at offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }
}
