import StorageEngine

extension EmbeddedObject: _PersistableInsideOptional, _RealmCollectionValueInsideOptional {
    /// The type that is stored.
    public typealias PersistedType = EmbeddedObject
}

// Unlike an object that a link refers to, an embedded object is created by its owner.
extension _PersistableInsideOptional where Self: EmbeddedObject {
    public static func _setOptional(_ value: Self?, _ object: ObjectBase, at offset: Int) {
        guard object._requireWritable(offset), let owner = object._managedClass else { return }
        guard let value else { return object._write(.null, offset) }
        let column = Int(object._column(offset).index)
        _store(
            value,
            in: _ValueSlot(
                .property(owner, key: object._key, birth: object._birth, column: column)))
    }

    public static func _gatherOptional(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        if Persisted<Self?>.value(at: storage) != nil { scratch.hasDeferredValues = true }
        return .null
    }

    public static func _completeAddOptional(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        let value = Persisted<Self?>.value(at: storage)
        // From now on the row holds the value of the property.
        Persisted<Self?>.reset(at: storage)
        addition.setEmbedded(value)
    }
}

extension RealmCollectionValue where Self: EmbeddedObject {
    /// Creates the object in the slot. If the slot already holds the given object, nothing changes.
    /// With `.modified`, the existing object is updated instead.
    public static func _store(_ value: Self, in slot: _ValueSlot) {
        let update = slot.realm.scratch.update
        if update == .modified {
            slot.linkTarget.updateEmbedded(value, in: slot)
        } else {
            slot.linkTarget.addEmbedded(value, in: slot, update: update)
        }
        slot.realm.completeAdditions()
    }
}
