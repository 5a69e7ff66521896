import StorageEngine

extension RealmInstance {
    /// Returns the class of dynamic objects with a name. Stops the program if neither the Realm nor
    /// its file has such a class.
    func dynamicClass(named name: String) -> ManagedClass {
        checkThread()
        resumeReading()
        if let frozen {
            return frozen.dynamicClasses.value(forKey: name) { makeDynamicClass(named: name) }
        }
        if let known = dynamicClasses[name] { return known }
        let managedClass = makeDynamicClass(named: name)
        dynamicClasses[name] = managedClass
        return managedClass
    }

    private func makeDynamicClass(named name: String) -> ManagedClass {
        let known = schema[name] ?? migratedClasses?[name]
        let stored = attempt { try connection.table(named: name)?.definition }
        guard let definition = stored ?? known?.definition else { stopForUnknownClass(name) }
        let model = ClassModel(dynamic: definition, named: known)
        return attempt { try ManagedClass(model: model, realm: self) }
    }
}
