import StorageEngine

extension CollectionContents {
    /// Sets a property of all objects of a Realm without creating accessors; the value is converted
    /// only once. Returns false if the property is not stored solely in the object's row.
    func setStored(_ value: Any?, forKey key: String) -> Bool {
        let managedClass: ManagedClass
        let keys: ContiguousArray<Int64>
        switch source {
        case .results(let query):
            managedClass = query.managedClass
            keys = query.keys.unpacked
        case .links(let linked, let target):
            managedClass = target
            keys = linked
        case .objects, .stored, .values: return false
        }
        let model = managedClass.model
        guard model.hasStorage, let table = managedClass.table,
            let position = model.properties.firstIndex(where: { $0.name == key }),
            !model.properties[position].isDeferred, !model.properties[position].isPrimaryKey
        else { return false }
        let property = model.properties[position]
        let column = managedClass.columns[position]
        let scratch = managedClass.realm.scratch
        scratch.reset()
        guard let scalar = property.storedForm(of: value, scratch) else {
            stop(model.invalidValue(value, for: property))
        }
        if case .bytes(let bytes) = scalar, bytes.count > RealmInstance.maximumValueSize {
            stop(model.tooLarge(column: column, of: managedClass, size: bytes.count))
        }
        managedClass.realm.change {
            for key in keys {
                let key = ObjectKey(rawValue: key)
                if try table.contains(key) { try table.set(column, of: key, to: scalar) }
            }
        }
        return true
    }
}
