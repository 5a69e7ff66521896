import StorageEngine

extension DynamicCreation {
    /// Makes the embedded objects of a property, in place of those that are there.
    func setEmbedded(_ property: PropertyModel, of object: ObjectBase, to value: Any?) {
        guard object._requireWritable(property.offset), let owner = object._managedClass,
            let name = property.linkedClassName
        else { return }
        let column = Int(object._column(property.offset).index)
        let target = realm.dynamicClass(named: name)
        let value = unwrapped(value)
        switch property.shape.collection {
        case .list:
            guard let elements = value as? any Sequence else { break }
            let list = ManagedList(of: object, column: column)
            let new = anyElements(elements)
            realm.change { try list.handle.removeAll() }
            for element in new {
                put(element, property, in: _ValueSlot(.newElement(list, at: nil)), target)
            }
            return
        case .map:
            guard let entries = entriesOfAnyMap(value) else { break }
            let map = ManagedMap(of: object, column: column)
            realm.change { try map.handle.removeAll() }
            for (key, element) in entries {
                put(element, property, in: _ValueSlot(.value(map, key: key)), target)
            }
            return
        case .none:
            let slot = _ValueSlot(
                .property(owner, key: object._key, birth: object._birth, column: column))
            return put(value, property, in: slot, target)
        case .set: break
        }
        stop(owner.model.invalidValue(value, for: property))
    }

    private func put(
        _ value: Any?, _ property: PropertyModel, in slot: _ValueSlot, _ target: ManagedClass
    ) {
        guard let value = unwrapped(value) else { return slot.put(.null) }
        if realm.hasFailed { return }
        if let type = realm.schema[target.model.name]?.type {
            let conversion = _ValueConversion(realm: realm)
            guard let object = conversion.object(of: type, from: value) else {
                stop(slot.property.owner.model.invalidValue(value, for: property))
            }
            realm.managedClass(for: type).addEmbedded(object, in: slot, update: update)
            realm.completeAdditions()
            return
        }
        let given = values(of: value, for: target.model)
        let row = UnsafeBufferPointer(row(of: target, given))
        target.requireSizes(row)
        guard let key = slot.putEmbedded(row) else { return }
        target.noteInsertion(of: key.rawValue)
        completed(target, key.rawValue, given)
    }
}
