import Foundation
import StorageEngine

extension AnyRealmValue: _Persistable {
    public static var _shape: _PropertyShape { _elementShape }
    public static func _makeDefault() -> AnyRealmValue { .none }

    public static func _get(_ object: ObjectBase, _ offset: Int) -> AnyRealmValue {
        let scalar = object._readSlowly(offset)
        let slot = slot(object, offset)
        return _decode(scalar, _LinkSource(birth: slot.realm.generation, slot: slot))
    }

    public static func _set(_ value: AnyRealmValue, _ object: ObjectBase, at offset: Int) {
        guard object._requireWritable(offset) else { return }
        _store(value, in: slot(object, offset))
    }

    private static func slot(_ object: ObjectBase, _ offset: Int) -> _ValueSlot {
        guard let owner = object._managedClass else { stop("The object is not managed.") }
        return _ValueSlot(
            .property(
                owner, key: object._key, birth: object._birth,
                column: Int(object._column(offset).index)))
    }

    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        let value = Persisted<AnyRealmValue>.value(at: storage)
        return value.fitsRow ? _encode(value, scratch) : scratch._defer()
    }

    public static func _completeAdd(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        let value = Persisted<AnyRealmValue>.value(at: storage)
        // The stored value replaces this one, which could be part of a retain cycle.
        Persisted<AnyRealmValue>.reset(at: storage)
        addition.setMixed(value)
    }

    /// Whether the value can be stored before its object has a key.
    fileprivate var fitsRow: Bool {
        switch self {
        case .object, .list, .dictionary: false
        default: true
        }
    }

    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> AnyRealmValue? {
        _convertElement(value, conversion)
    }

    public static func _erase(_ value: AnyRealmValue) -> Any? { _eraseElement(value) }
}

extension _Addition {
    func setMixed(_ value: AnyRealmValue) {
        let scratch = managedClass.realm.scratch
        let previousUpdate = scratch.update
        scratch.update = update
        defer { scratch.update = previousUpdate }
        if !value.fitsRow { return AnyRealmValue._store(value, in: slot) }
        // The row of a new object already contains the value.
        if isNew { return }
        scratch.reset()
        managedClass.write(
            AnyRealmValue._encode(value, scratch), column, of: key,
            update: writesDifferencesOnly ? .modified : .all)
    }
}

extension AnyRealmValue: MinMaxType, AddableType, SortableType, _QueryNumeric, _QueryString {}
