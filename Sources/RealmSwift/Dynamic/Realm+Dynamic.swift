import StorageEngine

extension Realm {
    /// All objects of the class with a name. Neither the program nor the Realm's configuration need
    /// to have the class: it is enough that the file does. Otherwise the program stops.
    ///
    /// ```swift
    /// let names = realm.dynamicObjects("Dog").map { $0.name as? String }
    /// ```
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(query: ResultsQuery(instance.dynamicClass(named: typeName)))
    }

    /// The object with the given primary key of the class with a name; nil if there is none.
    ///
    /// A key that does not fit the class's primary key, or a class without one, stops the program.
    public func dynamicObject(
        ofType typeName: String, forPrimaryKey key: Any
    ) -> DynamicObject? {
        let found = instance.dynamicClass(named: typeName).object(forPrimaryKey: key)
        return found.map { unsafeDowncast($0, to: DynamicObject.self) }
    }

    /// Creates an object of the class with a name, as ``create(_:value:update:)`` does.
    ///
    /// Properties without a given value have the defaults of the Swift class. If only the file
    /// knows the class, they start at zero, empty, nil, the current date or a random UUID.
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

    /// Stops if objects of the class cannot be created by themselves, or not under the policy.
    func requireCreatable(_ model: ClassModel, _ update: UpdatePolicy) {
        if model.isEmbedded { stop("Embedded objects cannot be created directly") }
        if update != .error && model.primaryKey == nil {
            stop("'\(model.name)' does not have a primary key and can not be updated")
        }
    }
}
