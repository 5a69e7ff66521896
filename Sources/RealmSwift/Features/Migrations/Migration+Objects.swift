import StorageEngine

/// An object in a migration: an old one, which can only be read, or a new one.
public typealias MigrationObject = DynamicObject

/// The function with which a migration visits objects.
///
/// - Parameters:
///   - oldObject: The object as it was; nil if there was none.
///   - newObject: The object as it is to be; nil if its class is no longer there.
public typealias MigrationObjectEnumerateBlock = (
    _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

extension Migration {
    /// The classes and properties of the file before the migration, by the names under which they
    /// are stored.
    public var oldSchema: Schema {
        let definitions = attempt { try oldRealm.connection.tableDefinitions() }
        return schema(of: definitions)
    }

    /// The classes and properties of the application, by the names under which they are stored.
    public var newSchema: Schema { schema(of: newClasses) }

    private func schema(of definitions: [TableDefinition]) -> Schema {
        Schema(
            objectSchema: definitions.sorted { $0.name < $1.name }.map {
                ClassModel(dynamic: $0, named: nil).objectSchema
            })
    }

    // MARK: Objects

    /// Calls a function with each object of a class, before and after the migration.
    ///
    /// Objects that this migration has deleted are left out. Those that it has created before this
    /// call come last, without an old object. If the class is not one of the application any more,
    /// there are only old objects; nothing is visited if the file never had the class, or after
    /// ``deleteData(forType:)``.
    ///
    /// ```swift
    /// migration.enumerateObjects(ofType: "Person") { old, new in
    ///     new!["age"] = Int(old!["age"] as! String) ?? 0
    /// }
    /// ```
    /// The function may create and delete objects, also those that it is called with.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        newRealm.checkThread()
        prepare()
        if emptied.contains(typeName) || newRealm.isInFailedTransaction { return }
        let old = managedClass(typeName, in: oldRealm)
        let isWanted = newClasses.contains { $0.name == typeName }
        let new = isWanted ? managedClass(typeName, in: newRealm) : nil
        let created = createdObjects(of: new, after: old)
        let wasEnumerating = isEnumerating
        isEnumerating = true
        defer { isEnumerating = wasEnumerating }
        if let old {
            forEachKey(of: old) { key in
                guard let new else { return block(accessor(of: key, old), nil) }
                guard new.isAlive(key: key.rawValue, birth: newRealm.generation) else { return }
                block(accessor(of: key, old), accessor(of: key, new))
            }
        }
        guard let new else { return }
        for key in created where !emptied.contains(typeName) {
            guard new.isAlive(key: key.rawValue, birth: newRealm.generation) else { continue }
            block(nil, accessor(of: key, new))
        }
    }

    private func accessor(of key: ObjectKey, _ managedClass: ManagedClass) -> MigrationObject {
        unsafeDowncast(managedClass.makeAccessor(key: key.rawValue), to: DynamicObject.self)
    }

    private func managedClass(_ name: String, in realm: RealmInstance) -> ManagedClass? {
        let exists = attempt { try realm.connection.table(named: name) != nil }
        return exists ? realm.dynamicClass(named: name) : nil
    }

    /// Visits the old objects of a class leaf by leaf, so that keys take little memory.
    private func forEachKey(of managedClass: ManagedClass, _ body: (ObjectKey) -> Void) {
        let table = managedClass.existingTable
        let count = attempt { try table.count() }
        var position = 0
        var keys: [ObjectKey] = []
        var progress = MigrationProgress(of: managedClass.model.name, count: count)
        while position < count, !newRealm.hasFailed {
            progress.note(position)
            keys.removeAll(keepingCapacity: true)
            attempt {
                try table.forEachLeaf(from: position, keepsLeaves: false) { leaf, first in
                    for row in 0..<leaf.rowCount {
                        keys.append(table.key(at: RowLocation(leaf: leaf, row: row)))
                    }
                    position = first + leaf.rowCount
                    return false
                }
            }
            for key in keys {
                body(key)
                if emptied.contains(managedClass.model.name) { return }
            }
            oldRealm.connection.releaseExcessMemory()
        }
    }

    /// The objects that this migration has created so far. Their keys are above all old ones.
    private func createdObjects(of new: ManagedClass?, after old: ManagedClass?) -> [ObjectKey] {
        guard let table = new?.table else { return [] }
        return attempt {
            let last = try old?.table.flatMap { old in
                let count = try old.count()
                return count == 0 ? nil : try old.key(at: count - 1)
            }
            var keys: [ObjectKey] = []
            var position = try table.count()
            while position > 0 {
                position -= 1
                let key = try table.key(at: position)
                if let last, key.rawValue <= last.rawValue { break }
                keys.append(key)
            }
            return keys.reversed()
        }
    }

    /// Creates an object of a class of the application.
    ///
    /// ```swift
    /// migration.create("Dog", value: ["name": "Rex"])
    /// ```
    /// Properties without a given value are zero, empty, nil, the current date or a random UUID,
    /// whatever the defaults of the class.
    ///
    /// - Parameters:
    ///   - typeName: The name of the class.
    ///   - value: A dictionary of values by property name, an array of values in the order of the
    ///     properties, or an object.
    /// - Precondition: The class exists, and all values match the types of their properties.
    @discardableResult
    public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
        newRealm.checkThread()
        prepare()
        return Realm(instance: newRealm).dynamicCreate(typeName, value: value)
    }

    /// Deletes a new object.
    ///
    /// - Precondition: The object is a new one of this migration, and was not deleted before.
    public func delete(_ object: MigrationObject) {
        newRealm.checkThread()
        prepare()
        Realm(instance: newRealm).delete(object)
    }

    /// Deletes all objects of a class, and the class itself unless it is one of the application.
    ///
    /// - Returns: Whether the file has the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        newRealm.checkThread()
        prepare()
        guard let managedClass = managedClass(typeName, in: newRealm) else { return false }
        emptied.insert(typeName)
        newRealm.change {
            if newClasses.contains(where: { $0.name == typeName }) {
                try managedClass.existingTable.deleteAll()
                managedClass.noteDeletionOfAll()
            } else {
                try changes.removeTable(typeName)
                forgetClasses()
            }
        }
        return true
    }

    // MARK: Properties

    /// Gives the values of a property to one of another name, which keeps relationships.
    ///
    /// Call it before objects are accessed; then it costs the same whatever their number. It makes
    /// the new objects invalid that were obtained before.
    ///
    /// ```swift
    /// migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
    /// ```
    /// - Parameters:
    ///   - typeName: The name of the class.
    ///   - oldName: The name under which the property is stored in the file.
    ///   - newName: The name under which the application stores it.
    /// - Precondition: The class is in the file and in the application. The file has the first
    ///   property, and the application only the second. Both have one type. A property that may be
    ///   nil does not become one that may not.
    public func renameProperty(
        onType typeName: String, from oldName: String, to newName: String
    ) {
        newRealm.checkThread()
        requireRenaming(typeName, oldName, to: newName)
        newRealm.change { try changes.rename(oldName, to: newName, ofTable: typeName) }
        forgetClasses()
    }

    private func requireRenaming(_ type: String, _ old: String, to new: String) {
        if isEnumerating {
            stop("Cannot rename property '\(type).\(old)' while objects are enumerated.")
        }
        let stored = attempt { try oldRealm.connection.table(named: type)?.definition }
        guard let stored else {
            stop("Cannot rename properties for type '\(type)' because it does not exist.")
        }
        guard let wanted = newClasses.first(where: { $0.name == type }) else {
            stop(
                "Cannot rename properties for type '\(type)' because it has been removed from the "
                    + "Realm.")
        }
        guard let source = stored.columns.first(where: { $0.name == old }) else {
            stop("Cannot rename property '\(type).\(old)' because it does not exist.")
        }
        guard let target = wanted.columns.first(where: { $0.name == new }) else {
            stop("Renamed property '\(type).\(new)' does not exist.")
        }
        func stopRenaming(_ reason: String) -> Never {
            stop("Cannot rename property '\(type).\(old)' to '\(new)' because \(reason).")
        }
        if wanted.columns.contains(where: { $0.name == old }) {
            stopRenaming("the source property still exists")
        }
        if stored.columns.contains(where: { $0.name == new }) {
            stopRenaming("'\(new)' existed before the migration")
        }
        var (before, after) = (StoredType(source), StoredType(target))
        if before.isOptional, !after.isOptional, before.collection == .none {
            stopRenaming("it would change from optional to required")
        }
        if before.collection == .none { before.isOptional = after.isOptional }
        if before != after {
            stopRenaming("it would change from type '\(StoredType(source))' to '\(after)'")
        }
    }
}
