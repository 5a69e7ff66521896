import StorageEngine

extension List: _HasPersistedType {
    public typealias PersistedType = List<Element>
}

extension List: _Persistable {
    public static var _shape: _PropertyShape {
        var shape = Element._elementShape
        shape.collection = .list
        return shape
    }

    @inlinable public static var _isCollection: Bool { true }
    public static func _makeDefault() -> List { List() }

    /// An object keeps one list instance for each of its list properties.
    public static func _get(_ object: ObjectBase, _ offset: Int) -> List {
        let storage = object._storage(at: offset).assumingMemoryBound(to: Persisted<List>.self)
        if case .value(let list) = storage.pointee.state { return list }
        object._requireAlive()
        guard let owner = object._managedClass else { stop("The object is not managed.") }
        let list = List(
            managed: ManagedList(
                owner: owner, key: object._key, birth: object._birth,
                column: Int(object._column(offset).index)))
        storage.pointee.state = .value(list)
        return list
    }

    public static func _set(_ value: List, _ object: ObjectBase, _ offset: Int) {
        _assignElements(of: value, to: _get(object, offset))
    }

    /// Self-assignment leaves the list as it is.
    public static func _assignElements(of source: List, to target: List) {
        if source === target || (source == target && source.managed != nil) { return }
        let elements = source.snapshotArray()
        target.removeAll()
        target.append(objectsIn: elements)
    }

    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        let wrapper = storage.assumingMemoryBound(to: Persisted<List>.self)
        if case .value = wrapper.pointee.state { scratch.hasDeferredValues = true }
        return .null
    }

    /// The list instance of the unmanaged object becomes the list of the managed one.
    public static func _completeAdd(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        let wrapper = storage.assumingMemoryBound(to: Persisted<List>.self)
        guard case .value(let list) = wrapper.pointee.state else { return }
        let elements = list.elements
        list.elements = []
        list.managed = ManagedList(
            owner: addition.managedClass, key: addition.object._key,
            birth: addition.object._birth, column: addition.column)
        let scratch = addition.managedClass.realm.scratch
        let previousUpdate = scratch.update
        scratch.update = addition.update
        defer { scratch.update = previousUpdate }
        list.removeAll()
        list.append(objectsIn: elements)
    }

    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> List? {
        guard let value = unwrapped(value) else { return nil }
        let list = List()
        if let other = value as? List {
            for element in other {
                guard let element = Element._convertElement(element, conversion) else {
                    return nil
                }
                list.elements.append(element)
            }
            return list
        }
        guard let sequence = value as? any Sequence else { return nil }
        for element in anyElements(sequence) {
            guard let element = Element._convertElement(element, conversion) else { return nil }
            list.elements.append(element)
        }
        return list
    }

    public static func _erase(_ value: List) -> Any? { value }
}

/// The elements of a sequence of any type.
private func anyElements(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 } }

/// The values of a managed list at one moment.
final class ListSnapshot {
    enum Value {
        case scalar(Scalar)
        case bytes(ContiguousArray<UInt8>)
    }
    var values: ContiguousArray<Value> = []

    func append(_ scalar: Scalar) {
        if case .bytes(let bytes) = scalar {
            values.append(.bytes(ContiguousArray(bytes)))
        } else {
            values.append(.scalar(scalar))
        }
    }

    func decode<Element: RealmCollectionValue>(
        _ position: Int, as type: Element.Type
    ) -> Element {
        switch values[position] {
        case .scalar(let scalar): Element._decode(scalar, nil)
        case .bytes(let bytes): bytes.withUnsafeBytes { Element._decode(.bytes($0), nil) }
        }
    }
}
