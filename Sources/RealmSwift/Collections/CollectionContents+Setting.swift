import StorageEngine

extension _CollectionContents {
    /// Sets a property of all objects of a Realm without making accessors of them: the value is
    /// converted once. False if the property is not one that is stored in its object's row alone.
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
        // An unmanaged object converts the value, and gives it its stored form.
        let sample = model.type.init()
        sample._set(value, of: model.properties[position], model)
        let row = UnsafeBufferPointer(managedClass.gather(sample))
        managedClass.requireSizes(row)
        let column = managedClass.columns[position]
        managedClass.realm.change {
            for key in keys {
                let key = ObjectKey(rawValue: key)
                if try table.contains(key) { try table.set(column, of: key, to: row[column]) }
            }
        }
        return true
    }
}
