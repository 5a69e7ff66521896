import StorageEngine

extension Migration {
    /// Gives the values of a property to one of another name, which keeps relationships.
    ///
    /// Call it before objects are accessed; then it costs the same whatever their number. It makes
    /// the new objects invalid that were obtained before.
    ///
    /// ```swift
    /// if oldVersion < 1 { migration.renameProperty(onType: "Person", from: "years", to: "old") }
    /// if oldVersion < 2 { migration.renameProperty(onType: "Person", from: "old", to: "age") }
    /// ```
    /// A property may get a name between two versions, which neither the file nor the application
    /// has, as long as another renaming follows. If none does, opening the Realm throws.
    ///
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
        if isEnumerating {
            stop("Cannot rename property '\(typeName).\(oldName)' while objects are enumerated.")
        }
        let (stored, wanted) = definitions(of: typeName)
        let storedName = intermediate[typeName]?[oldName] ?? oldName
        guard let source = stored.columns.first(where: { $0.name == storedName }) else {
            stop("Cannot rename property '\(typeName).\(oldName)' because it does not exist.")
        }
        let refuse = { (reason: String) -> Never in
            stop(
                "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because "
                    + "\(reason).")
        }
        if wanted.columns.contains(where: { $0.name == oldName }) {
            refuse("the source property still exists")
        }
        guard let target = wanted.columns.first(where: { $0.name == newName }) else {
            intermediate[typeName]?[oldName] = nil
            intermediate[typeName, default: [:]][newName] = storedName
            return
        }
        if stored.columns.contains(where: { $0.name == newName }) {
            refuse("'\(newName)' existed before the migration")
        }
        if let difference = difference(of: source, from: target) { refuse(difference) }
        intermediate[typeName]?[oldName] = nil
        newRealm.change { try changes.rename(storedName, to: newName, ofTable: typeName) }
        forgetClasses()
    }

    /// The class in the file, and in the application. Stops the program if one of them lacks it.
    private func definitions(of type: String) -> (stored: TableDefinition, wanted: TableDefinition)
    {
        guard let stored = attempt({ try oldRealm.connection.table(named: type)?.definition })
        else { stop("Cannot rename properties for type '\(type)' because it does not exist.") }
        guard let wanted = newClasses[type]?.definition else {
            stop(
                "Cannot rename properties for type '\(type)' because it has been removed from the "
                    + "Realm.")
        }
        return (stored, wanted)
    }

    /// Why the values of a property cannot be those of another; nil if they can.
    private func difference(
        of source: ColumnDefinition, from target: ColumnDefinition
    ) -> String? {
        var (before, after) = (StoredType(source), StoredType(target))
        if before.collection == .none {
            if before.isOptional, !after.isOptional {
                return "it would change from optional to required"
            }
            before.isOptional = after.isOptional
        }
        if before == after { return nil }
        before.isOptional = source.isOptional
        after.isOptional = target.isOptional
        return "it would change from type '\(before)' to '\(after)'"
    }
}
