import StorageEngine

/// The second step of adding an object: its links and lists, once the object has a key.
///
/// Adding an object writes its own values first and queues this step. So a cycle of objects ends
/// at the first one that has its key already, and a long chain needs no deep recursion.
public final class _Addition {
    let object: ObjectBase
    let managedClass: ManagedClass
    let update: Realm.UpdatePolicy
    /// The properties to write if the object existed before; nil: all.
    private let given: Set<String>?
    private(set) var column = 0

    init(
        object: ObjectBase, to managedClass: ManagedClass, update: Realm.UpdatePolicy,
        given: Set<String>?
    ) {
        self.object = object
        self.managedClass = managedClass
        self.update = update
        self.given = given
    }

    func complete() {
        for (position, property) in managedClass.model.properties.enumerated() {
            guard property.shape.type == .link || property.shape.collection != .none else {
                continue
            }
            let storage = object._storage(at: property.offset)
            if let given, !given.contains(property.name) {
                property.wrapper.reset(at: storage)
                continue
            }
            column = managedClass.columns[position]
            property.valueType._completeAdd(storage, self)
        }
    }

    func setLink(to target: ObjectBase) {
        let targetClass = managedClass.linkTarget(column: column)
        guard let key = targetClass.keyOfLinked(target, update: update) else { return }
        managedClass.realm.change {
            try managedClass.existingTable.set(
                column, of: ObjectKey(rawValue: object._key), to: .integer(key))
        }
    }
}
