import StorageEngine

extension ManagedClass {
    /// Puts an unmanaged embedded object into a property, in place of the one that is there.
    func setEmbedded(
        _ object: ObjectBase, column: Int, of owner: Int64, update: Realm.UpdatePolicy = .error
    ) {
        linkTarget(column: column).addEmbedded(object, .property, update: update) { values in
            try existingTable.createEmbedded(column, of: ObjectKey(rawValue: owner), values)
        }
    }

    /// Makes an unmanaged object, whose class is this one, an object that `make` puts into its
    /// place, which is of the kind `place`. What it leads to is added later, by
    /// `RealmInstance.completeAdditions`. Does nothing if the transaction has failed.
    func addEmbedded(
        _ object: ObjectBase, _ place: LinkPlace, update: Realm.UpdatePolicy,
        _ make: (UnsafeBufferPointer<Scalar>) throws -> ObjectKey
    ) {
        if object._context != nil { stop(place.textForManagedEmbedded) }
        requireExactType(object, in: place)
        if realm.hasFailed { return }
        let values = gather(object)
        let isDeferred = realm.scratch.hasDeferredValues
        guard let key = insertRow(UnsafeBufferPointer(values), make) else { return }
        object._attach(to: self, key: key)
        if isDeferred {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, isNew: true, given: nil))
        }
    }

    /// Gives the embedded object with a key the values of an unmanaged one, which becomes its
    /// accessor.
    func updateEmbedded(_ key: Int64, from object: ObjectBase, update: Realm.UpdatePolicy) {
        if object._context != nil { stop(LinkPlace.property.textForManagedEmbedded) }
        requireExactType(object, in: .property)
        if realm.hasFailed { return }
        updateRow(of: key, from: object, update: update, given: realm.givenProperties(of: object))
    }
}

/// Where a link is stored, as messages about objects that cannot be there name it.
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
