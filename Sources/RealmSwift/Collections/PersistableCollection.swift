import StorageEngine

/// A list, set or map as the property of an object.
///
/// An object keeps one instance for each of its collection properties: the same before and after
/// the object is added to a Realm.
public protocol _PersistableCollection: AnyObject, _Persistable {
    /// Creates an empty unmanaged collection.
    init()
    /// Creates the collection in a column of a managed object.
    init(_of object: ObjectBase, column: Int)
    /// Makes an unmanaged instance the collection in a column of an object, with the elements that
    /// it has in place of those that are `existing` in the column.
    func _manage(in object: ObjectBase, column: Int, over existing: _ExistingElements)
    /// Whether both show the same collection of a Realm, or are one instance.
    func _isSame(as other: Self) -> Bool
    /// Replaces all elements by copies of those of another collection.
    func _replaceElements(by other: Self)
}

/// What an object that is added has in the column of a collection.
public enum _ExistingElements {
    /// Nothing: the object is new.
    case none
    /// Elements that all go.
    case replaced
    /// Elements of which those stay that are to be there.
    case modified
}

extension _PersistableCollection {
    /// A collection.
    @inlinable public static var _isCollection: Bool { true }
    /// An empty one.
    public static func _makeDefault() -> Self { Self() }
    /// The collection itself.
    public static func _erase(_ value: Self) -> Any? { value }

    /// The instance that the object keeps, made by the first read.
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        let storage = object._storage(at: offset).assumingMemoryBound(to: Persisted<Self>.self)
        if case .value(let collection) = storage.pointee.state { return collection }
        object._requireAlive()
        let collection = Self(_of: object, column: Int(object._column(offset).index))
        storage.pointee.state = .value(collection)
        return collection
    }

    /// Copies the elements.
    public static func _set(_ value: Self, _ object: ObjectBase, _ offset: Int) {
        _assignElements(of: value, to: _get(object, offset))
    }

    /// Self-assignment leaves the collection as it is.
    public static func _assignElements(of source: Self, to target: Self) {
        if !source._isSame(as: target) { target._replaceElements(by: source) }
    }

    /// Elements are stored once the object has its key.
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        let wrapper = storage.assumingMemoryBound(to: Persisted<Self>.self)
        if case .value = wrapper.pointee.state { scratch.hasDeferredValues = true }
        return .null
    }

    /// The instance of the unmanaged object becomes the collection of the managed one.
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

/// The elements of a sequence of any type.
func anyElements(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 } }
