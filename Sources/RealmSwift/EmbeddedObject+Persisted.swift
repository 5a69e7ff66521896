import StorageEngine

extension EmbeddedObject: _PersistableInsideOptional, _RealmCollectionValueInsideOptional {
    public typealias PersistedType = EmbeddedObject
}

// What differs from links to objects that exist by themselves: the owner makes the object.
extension _PersistableInsideOptional where Self: EmbeddedObject {
    public static func _setOptional(_ value: Self?, _ object: ObjectBase, _ offset: Int) {
        guard object._requireWritable(offset), let owner = object._managedClass else { return }
        guard let value else { return object._write(.null, offset) }
        let column = Int(object._column(offset).index)
        owner.setEmbedded(value, column: column, of: object._key)
        owner.realm.completeAdditions()
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
        // From now on the row says what the property holds.
        Persisted<Self?>.reset(at: storage)
        addition.setEmbedded(value)
    }
}
