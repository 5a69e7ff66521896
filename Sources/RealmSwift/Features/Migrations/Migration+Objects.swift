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
        return Schema(
            objectSchema: definitions.sorted { $0.name < $1.name }.map {
                ClassModel(dynamic: $0, named: nil).objectSchema
            })
    }

    /// The classes and properties of the application.
    public var newSchema: Schema { newClasses.publicSchema }

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
        let new = newClasses[typeName] != nil ? managedClass(typeName, in: newRealm) : nil
        let created = createdObjects(of: new, after: old)
        let wasEnumerating = isEnumerating
        isEnumerating = true
        defer { isEnumerating = wasEnumerating }
        var newObject = new.map(MigrationAccessor.init)
        if let old {
            var oldObject = MigrationAccessor(old)
            forEachObject(of: old) { key, place in
                if newObject?.stand(at: key) == false { return }
                oldObject.stand(at: key, place)
                block(oldObject.object, newObject?.object)
            }
        }
        for key in created where !emptied.contains(typeName) {
            if newObject?.stand(at: key) == true { block(nil, newObject?.object) }
        }
    }

    private func managedClass(_ name: String, in realm: RealmInstance) -> ManagedClass? {
        let exists = attempt { try realm.connection.table(named: name) != nil }
        return exists ? realm.dynamicClass(named: name) : nil
    }

    /// Visits the old objects of a class leaf by leaf, so that keys take little memory. They stay
    /// at their places while the old version's places are valid.
    private func forEachObject(
        of managedClass: ManagedClass, _ body: (ObjectKey, MigrationAccessor.Place) -> Void
    ) {
        let table = managedClass.existingTable
        let count = attempt { try table.count() }
        var position = 0
        var keys: [ObjectKey] = []
        while position < count, !newRealm.hasFailed {
            keys.removeAll(keepingCapacity: true)
            let start = attempt { try table.location(at: position) }
            let stamp = oldRealm.connection.layoutStamp.pointee
            for row in start.row..<start.leaf.rowCount {
                keys.append(table.key(at: RowLocation(leaf: start.leaf, row: row)))
            }
            for (index, key) in keys.enumerated() {
                // A leaf may have thousands of objects, and the block may take long for each.
                if index % 256 == 0 {
                    progress.note(managedClass.model.name, position + index, of: count)
                }
                let row = RowLocation(leaf: start.leaf, row: start.row + index)
                body(key, MigrationAccessor.Place(row: row, stamp: stamp))
                if emptied.contains(managedClass.model.name) { return }
            }
            position += keys.count
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
    /// - Precondition: The application has the class, and all values match the types of their
    ///   properties.
    @discardableResult
    public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
        newRealm.checkThread()
        if newClasses[typeName] == nil { newRealm.stopForUnknownClass(typeName) }
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
            if newClasses[typeName] != nil {
                try managedClass.existingTable.deleteAll(progress: progress.note)
                managedClass.noteDeletionOfAll()
            } else {
                try changes.removeTable(typeName)
                forgetClasses()
            }
        }
        return true
    }
}
