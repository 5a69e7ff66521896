import StorageEngine

extension DynamicCreation {
    /// Creates the embedded objects of a property, and replaces existing ones.
    func setEmbedded(_ property: PropertyModel, of object: ObjectBase, to value: Any?) {
        guard object._requireWritable(property.offset), let owner = object._managedClass,
            let name = property.linkedClassName
        else { return }
        let column = Int(object._column(property.offset).index)
        let target = realm.dynamicClass(named: name)
        let value = unwrapped(value)
        switch property.shape.collection {
        case .list:
            guard let elements = (value ?? [Any]()) as? any Sequence else { break }
            let list = ManagedList(of: object, column: column)
            return setEmbedded(anyElements(elements), in: list, of: property, to: target)
        case .map:
            guard let entries = entriesOfAnyMap(value ?? [String: Any]()) else { break }
            let map = ManagedMap(of: object, column: column)
            return setEmbedded(entries, in: map, of: property, to: target)
        case .none:
            let slot = _ValueSlot(
                .property(owner, key: object._key, birth: object._birth, column: column))
            return put(value, property, in: slot, to: target)
        case .set: break
        }
        stop(owner.model.invalidValue(value, for: property))
    }

    /// Sets the elements of a list. With `.modified`, existing elements are updated, matched by
    /// position.
    private func setEmbedded(
        _ elements: [Any?], in list: ManagedList, of property: PropertyModel,
        to target: ManagedClass
    ) {
        var common = 0
        realm.change {
            if update == .modified { common = min(try list.handle.count(), elements.count) }
            for index in (common..<(try list.handle.count())).reversed() {
                try list.handle.remove(at: index)
            }
        }
        for (index, element) in elements.enumerated() {
            let place: _ValueSlot.Place =
                index < common ? .element(list, at: index) : .newElement(list, at: nil)
            put(element, property, in: _ValueSlot(place), to: target)
        }
    }

    /// Sets the entries of a map. With `.modified`, existing values are updated, matched by key.
    private func setEmbedded(
        _ entries: [(String, Any?)], in map: ManagedMap, of property: PropertyModel,
        to target: ManagedClass
    ) {
        var kept: Set<StoredText> = []
        if update == .modified { kept.formUnion(entries.map { StoredText($0.0) }) }
        realm.change {
            var gone: [String] = []
            try map.forEachEntry { key, _ in
                if !kept.contains(StoredText(key)) { gone.append(key) }
            }
            for key in gone { _ = try key.withKeyBytes { try map.handle.removeValue(forKey: $0) } }
        }
        for (key, element) in entries {
            put(element, property, in: _ValueSlot(.value(map, key: key)), to: target)
        }
    }

    private func put(
        _ value: Any?, _ property: PropertyModel, in slot: _ValueSlot, to target: ManagedClass
    ) {
        guard let value = unwrapped(value) else { return slot.put(.null) }
        if realm.hasFailed { return }
        if let type = realm.schema[target.model.name]?.type {
            if let object = asObject(value), target.isHeld(object, in: slot) { return }
            let conversion = _ValueConversion(realm: realm, adoptsObjects: true)
            guard let object = conversion.object(of: type, from: value) else {
                stop(slot.property.owner.model.invalidValue(value, for: property))
            }
            return realm.whileAdding(from: conversion) {
                realm.managedClass(for: type).addEmbedded(object, in: slot, update: update)
                realm.completeAdditions()
            }
        }
        if let object = asObject(value), target.isHeld(object, in: slot) { return }
        let given = values(of: value, for: target.model)
        let row = UnsafeBufferPointer(row(of: target, given))
        target.requireSizes(row)
        if update == .modified, let key = slot.embeddedKey {
            target.write(row, of: ObjectKey(rawValue: key), given: Set(given.keys))
            completed(target, key, given: given)
            return
        }
        guard let key = slot.putEmbedded(row) else { return }
        target.noteInsertion(of: key.rawValue)
        completed(target, key.rawValue, given: given)
    }
}
