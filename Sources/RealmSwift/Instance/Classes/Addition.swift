import StorageEngine

/// The second step of adding an object, which stores its links, embedded objects and collections
/// after the object has a key.
///
/// Adding an object first writes its own values and queues this step. A cycle of objects therefore
/// ends at the first object that already has a key, and a long chain needs no deep recursion.
public final class _Addition {
    let object: ObjectBase
    let managedClass: ManagedClass
    let update: Realm.UpdatePolicy
    /// Whether the object is new. If it existed before, its values are replaced.
    let isNew: Bool
    /// The properties to write if the object existed before; nil for all.
    private let given: Set<String>?
    private(set) var column = 0

    init(
        object: ObjectBase, to managedClass: ManagedClass, update: Realm.UpdatePolicy,
        isNew: Bool, given: Set<String>?
    ) {
        self.object = object
        self.managedClass = managedClass
        self.update = update
        self.isNew = isNew
        self.given = given
    }

    func complete() {
        let model = managedClass.model
        for position in model.deferred {
            let property = model.properties[position]
            let storage = object._storage(at: property.offset)
            if let given, !given.contains(property.name) {
                property.wrapper.reset(at: storage)
                continue
            }
            column = managedClass.columns[position]
            if let value = unmappedValue(at: position) {
                complete(property, at: storage, with: value)
            } else {
                property.valueType._completeAdd(storage, self)
            }
        }
    }

    /// Returns a value that is stored as given, because the property's type cannot represent it.
    private func unmappedValue(at position: Int) -> Any? {
        managedClass.realm.conversion?.unmappedValues(of: object)?[position]
    }

    private func complete(
        _ property: PropertyModel, at storage: UnsafeMutableRawPointer, with value: Any
    ) {
        // The object's own instance of a collection must show the stored elements.
        if property.shape.collection != .none { property.valueType._completeAdd(storage, self) }
        managedClass.realm.conversion?.set(
            property, ofManaged: object, to: value, in: managedClass.model)
    }

    /// Whether to write only values that differ from the stored ones.
    var writesDifferencesOnly: Bool { !isNew && update == .modified }

    var existingElements: _ExistingElements {
        if isNew { return .none }
        return update == .modified ? .modified : .replaced
    }

    func setLink(to target: ObjectBase?) {
        var link = Scalar.null
        if let target {
            let targetClass = managedClass.linkTarget(column: column)
            guard let key = targetClass.keyOfLinked(target, in: .property, update: update) else {
                return
            }
            link = .integer(key)
        } else if isNew {
            return
        }
        managedClass.write(link, column, of: key, update: writesDifferencesOnly ? .modified : .all)
    }

    /// Stores an embedded object. With `.modified`, an existing embedded object keeps its identity
    /// and is updated.
    func setEmbedded(_ value: ObjectBase?) {
        guard let value else {
            if !isNew { managedClass.write(.null, column, of: key, update: .modified) }
            return
        }
        let target = managedClass.linkTarget(column: column)
        if writesDifferencesOnly {
            target.updateEmbedded(value, in: slot)
        } else {
            target.addEmbedded(value, in: slot, update: update)
        }
    }

    var key: ObjectKey { ObjectKey(rawValue: object._key) }

    /// The place of the property.
    var slot: _ValueSlot {
        _ValueSlot(
            .property(managedClass, key: object._key, birth: object._birth, column: column))
    }
}
