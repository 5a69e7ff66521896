import StorageEngine

/// A list, set or map that is the type of a property.
///
/// An object keeps one instance per collection property. The instance stays the same when the
/// object is added to a Realm.
public protocol _PersistableCollection: AnyObject, _Persistable where PersistedType == Self {
    /// Creates an empty unmanaged collection.
    init()
    /// Creates the collection in a column of a managed object.
    init(_of object: ObjectBase, column: Int)
    /// Makes an unmanaged instance the collection in a column of an object. Its elements replace
    /// the `existing` ones of the column.
    func _manage(in object: ObjectBase, column: Int, over existing: _ExistingElements)
    /// Returns whether both are the same instance, or represent the same collection of a Realm.
    func _isSame(as other: Self) -> Bool
    /// Replaces all elements with copies of the elements of another collection.
    func _replaceElements(by other: Self)
}

/// The existing elements in the column of a collection when an object is added.
public enum _ExistingElements {
    /// There are none, because the object is new.
    case none
    /// All existing elements are removed.
    case replaced
    /// Existing elements that are also new elements are kept.
    case modified
}

extension _PersistableCollection {
    /// Always true.
    @inlinable public static var _isCollection: Bool { true }
    /// Returns an empty collection.
    public static func _makeDefault() -> Self { Self() }
    /// Returns the collection itself.
    public static func _erase(_ value: Self) -> Any? { value }

    /// Returns the instance that the object keeps. The first read creates it. A frozen object keeps
    /// none.
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        let storage = object._storage(at: offset).assumingMemoryBound(to: Persisted<Self>.self)
        if case .value(let collection) = storage.pointee.state { return collection }
        object._requireAlive()
        let collection = Self(_of: object, column: Int(object._column(offset).index))
        // Other threads may be reading an object that is frozen.
        if !object._isFrozen { storage.pointee.state = .value(collection) }
        return collection
    }

    /// Copies the elements into the collection of the object.
    public static func _set(_ value: Self, _ object: ObjectBase, at offset: Int) {
        _assignElements(of: value, to: _get(object, offset))
    }

    /// Copies the elements of `source` to `target`. Self-assignment has no effect.
    public static func _assignElements(of source: Self, to target: Self) {
        if !source._isSame(as: target) { target._replaceElements(by: source) }
    }

    /// Returns null. Elements are stored after the object has its key.
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        let wrapper = storage.assumingMemoryBound(to: Persisted<Self>.self)
        if case .value = wrapper.pointee.state { scratch.hasDeferredValues = true }
        return .null
    }

    /// Makes the instance of the unmanaged object the collection of the managed object.
    public static func _completeAdd(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        let wrapper = storage.assumingMemoryBound(to: Persisted<Self>.self)
        guard case .value(let collection) = wrapper.pointee.state else { return }
        let scratch = addition.managedClass.realm.scratch
        let previousUpdate = scratch.update
        scratch.update = addition.update
        defer { scratch.update = previousUpdate }
        collection._manage(
            in: addition.object, column: addition.column, over: addition.existingElements)
    }
}

extension _PropertyShape {
    /// Returns the shape of a collection whose elements have this shape.
    func asElement(of kind: CollectionKind) -> _PropertyShape {
        var shape = self
        shape.collection = kind
        return shape
    }
}

extension RealmCollectionValue {
    /// Calls `add` with each element of a sequence, converted to this type. Nil has no elements.
    /// Returns false if the value is no sequence, or if an element does not fit.
    static func _convertElements(
        of value: Any?, _ conversion: _ValueConversion, _ add: (Self) -> Void
    ) -> Bool {
        guard let value = unwrapped(value) else { return true }
        guard let sequence = value as? any Sequence else { return false }
        for element in anyElements(sequence) {
            guard let element = _convertElement(element, conversion) else { return false }
            add(element)
        }
        return true
    }
}

/// Returns the elements of a sequence of any type.
func anyElements(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 } }
