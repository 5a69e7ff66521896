import StorageEngine

/// The current elements of a collection, as read by aggregates and key-value coding. Each element
/// is read once.
struct CollectionContents {
    enum Source {
        /// The results of a query.
        case results(ResultsQuery)
        /// The objects of a managed collection.
        case links(ContiguousArray<Int64>, ManagedClass)
        /// The objects of an unmanaged collection.
        case objects([ObjectBase], ObjectBase.Type)
        /// The values of a managed collection, in their stored form and in the form of dynamic
        /// interfaces.
        case stored(ValueType, ValueVisit, elements: () -> [Any?])
        /// The values of an unmanaged collection.
        case values([Any?], ValueType)
    }
    typealias ValueVisit =
        ((Scalar) throws(StorageError) -> Bool) throws(StorageError) -> Void

    let source: Source
    /// The name of the collection in messages.
    let kindName: String
    /// The Realm of a managed collection.
    let realm: RealmInstance?

    init(_ source: Source, kindName: String, realm: RealmInstance) {
        self.source = source
        self.kindName = kindName
        self.realm = realm
    }

    /// Creates the contents of a managed collection. The caller has checked that it can be read.
    init(_ collection: some AnyManagedCollection, elements: @escaping () -> [Any?]) {
        kindName = collection.kindName
        realm = collection.realm
        if let target = collection.target {
            source = .links(collection.links(), target)
        } else {
            source = .stored(collection.type, collection.forEachValue, elements: elements)
        }
    }

    /// Creates the contents of an unmanaged collection.
    init<Element: RealmCollectionValue>(unmanaged elements: [Element], kindName: String) {
        self.kindName = kindName
        realm = nil
        let shape = Element._elementShape
        let values = elements.map(Element._eraseElement)
        if let type = shape.linkedClass {
            source = .objects(values.compactMap { $0 as? ObjectBase }, type)
        } else {
            source = .values(values, shape.type)
        }
    }

    /// The class of the objects; nil for a collection of values.
    var model: ClassModel? {
        switch source {
        case .results(let query): query.managedClass.model
        case .links(_, let managedClass): managedClass.model
        case .objects(_, let type): ClassModel.of(type)
        case .stored, .values: nil
        }
    }

    /// Returns a property of the objects. Stops the program if it does not exist.
    func property(named name: String, of model: ClassModel) -> PropertyModel {
        guard let property = model[name] else {
            stop("Property '\(name)' not found in object of type '\(model.name)'")
        }
        return property
    }
}
