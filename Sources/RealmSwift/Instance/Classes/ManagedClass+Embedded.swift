import StorageEngine

extension ManagedClass {
    /// Makes an unmanaged object of this class the embedded object of a place, and replaces an
    /// existing one. Objects that it references are added later, by
    /// `RealmInstance.completeAdditions`. Has no effect if the transaction has failed.
    func addEmbedded(_ object: ObjectBase, in slot: _ValueSlot, update: Realm.UpdatePolicy) {
        // In a failed transaction the content of the place is unknown.
        if realm.hasFailed || isHeld(object, in: slot) { return }
        requireEmbeddable(object, in: slot.linkPlace)
        let values = UnsafeBufferPointer(gather(object))
        let isDeferred = realm.scratch.hasDeferredValues
        requireSizes(values)
        guard let key = slot.putEmbedded(values) else { return }
        noteInsertion(of: key.rawValue)
        object._attach(to: self, key: key.rawValue)
        if isDeferred {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, isNew: true, given: nil))
        }
    }

    /// Writes the values of an unmanaged object to a place. An existing embedded object keeps its
    /// identity and is updated, and the unmanaged object becomes its accessor.
    func updateEmbedded(_ object: ObjectBase, in slot: _ValueSlot) {
        if realm.hasFailed || isHeld(object, in: slot) { return }
        guard let key = slot.embeddedKey else {
            return addEmbedded(object, in: slot, update: .modified)
        }
        requireEmbeddable(object, in: slot.linkPlace)
        updateRow(
            of: key, from: object, update: .modified, given: realm.givenProperties(of: object))
    }

    private func requireEmbeddable(_ object: ObjectBase, in place: LinkPlace) {
        if object._context != nil { stop(place.textForManagedEmbedded) }
        requireExactType(object, in: place)
    }

    /// Returns whether the place already holds the object, so that nothing needs to be done.
    func isHeld(_ object: ObjectBase, in slot: _ValueSlot) -> Bool {
        guard object._context != nil, object._realm === realm,
            object._managedClass?.table === table, slot.embeddedKey == object._key
        else { return false }
        return !object.isInvalidated
    }
}

extension ManagedClass {
    /// Calls `body` with the embedded objects that an object owns directly, and their classes.
    func forEachEmbedded(
        in key: ObjectKey,
        _ body: (ManagedClass, ObjectKey) throws(StorageError) -> Void
    ) throws(StorageError) {
        for position in model.embedding {
            let column = columns[position]
            let target = linkTarget(column: column)
            func visit(_ value: Scalar) throws(StorageError) -> Bool {
                if case .integer(let key) = value { try body(target, ObjectKey(rawValue: key)) }
                return true
            }
            switch model.properties[position].shape.collection {
            case .none: _ = try visit(existingTable.value(column, of: key))
            case .list: try existingTable.list(column, of: key).forEachValue(visit)
            case .map: try existingTable.map(column, of: key).forEachValue(visit)
            case .set: break
            }
        }
    }
}

/// The kind of place of a link, for messages about invalid objects.
enum LinkPlace {
    case property, list, set, map

    var textForManagedEmbedded: String {
        switch self {
        case .property: "Can't set link to existing managed embedded object"
        case .list: "Cannot add an existing managed embedded object to a List."
        case .set: "Cannot add an existing managed embedded object to a Set."
        case .map: "Cannot add an existing managed embedded object to a Dictionary."
        }
    }

    func text(forObjectOf found: String, insteadOf expected: String) -> String {
        switch self {
        case .property: "Can't set object of type '\(found)' to property of type '\(expected)'"
        case .list: "Object of type '\(found)' does not match RLMArray type '\(expected)'."
        case .set: "Object of type '\(found)' does not match RLMSet type '\(expected)'."
        case .map:
            "Value of type '\(found)' does not match RLMDictionary value type '\(expected)'."
        }
    }
}

extension _ValueSlot {
    var linkPlace: LinkPlace {
        switch place {
        case .property: .property
        case .element, .newElement: .list
        case .member: .set
        case .value: .map
        }
    }

    /// The class of the links or embedded objects of the place.
    var linkTarget: ManagedClass {
        let target =
            switch place {
            case .property: nil as ManagedClass?
            case .element(let list, _), .newElement(let list, _): list.target
            case .member(let set): set.target
            case .value(let map, _): map.target
            }
        if let target { return target }
        let (owner, column) = property
        return owner.linkTarget(column: column)
    }
}
