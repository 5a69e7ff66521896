import StorageEngine

extension Realm {
    /// Returns all objects of the class with a name.
    ///
    /// The class does not have to exist in the program or in the Realm's configuration; it is
    /// sufficient if the file contains it.
    ///
    /// ```swift
    /// let names = realm.dynamicObjects("Dog").map { $0.name as? String }
    /// ```
    ///
    /// - Precondition: The configuration or the file contains the class.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(query: ResultsQuery(instance.dynamicClass(named: typeName)))
    }

    /// Returns the object of the class with a name that has the given primary key; nil if there is
    /// none.
    ///
    /// - Precondition: The class exists and has a primary key, and the type of the given key
    ///   matches it.
    public func dynamicObject(
        ofType typeName: String, forPrimaryKey key: Any
    ) -> DynamicObject? {
        let found = instance.dynamicClass(named: typeName).object(forPrimaryKey: key)
        return found.map { unsafeDowncast($0, to: DynamicObject.self) }
    }

    /// Creates an object of the class with a name, as ``create(_:value:update:)`` does.
    ///
    /// Properties without a given value have the defaults of the Swift class. If only the file
    /// contains the class, they start as zero, empty, nil, the current date or a random UUID.
    ///
    /// - Precondition: A write transaction is open, the class exists, and all values match the
    ///   types of their properties.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        instance.requireWriting()
        let managedClass = instance.dynamicClass(named: typeName)
        requireCreatable(managedClass.model, update)
        let object = DynamicCreation(instance, update).create(managedClass, from: value)
        return object ?? DynamicObject()
    }
}
