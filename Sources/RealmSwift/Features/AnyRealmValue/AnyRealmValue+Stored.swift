import Foundation
import StorageEngine

extension AnyRealmValue: RealmCollectionValue, _DefaultConstructible {
    /// The type that is stored.
    public typealias PersistedType = AnyRealmValue

    public static var _elementShape: _PropertyShape { _PropertyShape(type: .mixed) }

    /// Returns the value of a stored form. Lists and maps are accessed at the place given by the
    /// source.
    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> AnyRealmValue {
        guard let value = MixedValue(scalar) else { stop("A mixed value cannot be read.") }
        if let value = AnyRealmValue(plain: value) { return value }
        guard let source, let slot = source.slot else {
            stop("A mixed value without a place was read.")
        }
        return decode(value, in: slot, birth: source.birth)
    }

    private static func decode(
        _ value: MixedValue, in slot: _ValueSlot, birth: UInt32
    ) -> AnyRealmValue {
        if case .link(let link) = value {
            let object = slot.realm.managedClass(ofTable: link.table)
                .makeAccessor(key: link.key.rawValue)
            object._birth = birth
            return .object(unsafeDowncast(object, to: Object.self))
        }
        if let list = slot.nestedList { return .list(List(managed: list)) }
        if let map = slot.nestedMap { return .dictionary(Map(managed: map)) }
        if slot.realm.isInFailedTransaction { return .none }
        stop("A list or map in a mixed value has gone while it was read.")
    }

    /// Returns the stored form of a value. Adds an unmanaged object.
    public static func _encode(_ value: AnyRealmValue, _ scratch: _Scratch) -> Scalar {
        switch value {
        case .none: return .null
        case .object(let object): return encode(object, scratch)
        case .dictionary, .list: stop("A set cannot hold lists and maps.")
        default: return value.visited(by: Encoder(scratch: scratch)) ?? .null
        }
    }

    private struct Encoder: ScalarVisitor {
        let scratch: _Scratch

        func visit<Value: _PersistableScalar>(_ value: Value) -> Scalar {
            value._withScalar {
                MixedValue($0, storedAs: Value._valueType).map { scratch.copy($0) } ?? .null
            }
        }
    }

    private static func encode(_ object: Object, _ scratch: _Scratch) -> Scalar {
        let realm = scratch.realm
        let own = object._realm === realm ? object._managedClass : nil
        let target = own ?? realm.managedClass(for: type(of: object))
        // In a failed transaction there is no key, and the null is not written.
        guard let key = target.keyOfLinked(object, in: .property, update: scratch.update) else {
            return .null
        }
        return scratch.copy(
            .link(TypedLink(table: target.existingTable.number, key: ObjectKey(rawValue: key))))
    }

    /// Returns the stored form for a search. The result is nil for objects of other Realms,
    /// unmanaged objects, lists and maps, because a search never finds them.
    public static func _encodeSought(_ value: AnyRealmValue, _ scratch: _Scratch) -> Scalar? {
        switch value {
        case .object(let object) where object._realm !== scratch.realm: return nil
        case .list, .dictionary: return nil
        default: return _encode(value, scratch)
        }
    }

    /// Stores a value in its place. A list or map is created there and its elements are copied,
    /// unless it already is the value of this place.
    public static func _store(_ value: AnyRealmValue, in slot: _ValueSlot) {
        if !value.isStored(in: slot) { write(value.detached(depth: 1), in: slot) }
    }

    private static func write(_ value: AnyRealmValue, in slot: _ValueSlot) {
        switch value {
        case .list(let list):
            guard let managed = slot.putEmpty(.list)?.nestedList else { return }
            for element in list { write(element, in: _ValueSlot(.newElement(managed, at: nil))) }
        case .dictionary(let map):
            guard let managed = slot.putEmpty(.map)?.nestedMap else { return }
            for (key, element) in map.asKeyValueSequence() {
                requireMapKey(key)
                write(element, in: _ValueSlot(.value(managed, key: key)))
            }
        default:
            let scratch = slot.realm.scratch
            scratch.reset()
            slot.put(_encode(value, scratch))
        }
    }

    private func isStored(in slot: _ValueSlot) -> Bool {
        switch self {
        case .list(let list):
            guard let managed = list.managed, let there = slot.nestedList else { return false }
            return managed.isSame(as: there)
        case .dictionary(let map):
            guard let managed = map.managed, let there = slot.nestedMap else { return false }
            return managed.isSame(as: there)
        default: return false
        }
    }

    /// Returns the value with copies of all managed lists and maps in it, which would be
    /// invalidated when the value is replaced. A value that is nested too deeply stops the program.
    ///
    /// - Parameter depth: The depth of the value, if it is a list or a map; 1 for the outermost.
    fileprivate func detached(depth: Int) -> AnyRealmValue {
        switch self {
        case .list(let list):
            Self.requireNesting(depth)
            return .fromArray(list.map { $0.detached(depth: depth + 1) })
        case .dictionary(let map):
            Self.requireNesting(depth)
            let copy = Map<String, AnyRealmValue>()
            for (key, value) in map.entries { copy[key] = value.detached(depth: depth + 1) }
            return .dictionary(copy)
        default: return self
        }
    }
}

extension _Scratch {
    /// Returns the stored form of a mixed value.
    func copy(_ value: MixedValue) -> Scalar {
        value.withScalar {
            guard case .bytes(let bytes) = $0 else { return $0 }
            return .bytes(copy(bytes))
        }
    }
}

extension RealmInstance {
    /// Returns the class of the objects in a table. If the schema has no such class, this is the
    /// class of dynamic objects.
    func managedClass(ofTable number: Int) -> ManagedClass {
        guard let table = attempt({ try connection.table(number: number) }) else {
            stop("A link leads to a class that the Realm does not have.")
        }
        let name = table.definition.name
        return schema[name].map { managedClass(for: $0.type) } ?? dynamicClass(named: name)
    }
}
