import StorageEngine

/// How aggregates and key-value coding read a collection: all elements once, as they are now.
public struct _CollectionContents {
    enum Source {
        /// What was made of the objects of a class, or of another collection.
        case results(ResultsQuery)
        /// Objects of a Realm.
        case links(ContiguousArray<Int64>, ManagedClass)
        /// The objects of an unmanaged collection.
        case objects([ObjectBase], ObjectBase.Type)
        /// Values of a Realm: as they are stored, and as dynamic interfaces hand them out.
        case stored(ValueType, ValueVisit, elements: () -> [Any?])
        /// Values of an unmanaged collection.
        case values([Any?], ValueType)
    }
    typealias ValueVisit = ((Scalar) throws -> Bool) throws -> Void

    let source: Source
    /// What messages call the collection.
    let kindName: String
    /// The Realm of a managed collection.
    let realm: RealmInstance?

    init(_ source: Source, kindName: String, realm: RealmInstance) {
        self.source = source
        self.kindName = kindName
        self.realm = realm
    }

    /// Those of a managed collection, which may be read now.
    init<Handle>(_ collection: ManagedCollection<Handle>, elements: @escaping () -> [Any?]) {
        kindName = Handle.kindName
        realm = collection.realm
        if let target = collection.target {
            source = .links(collection.links(), target)
        } else {
            let visit = collection.handle.forEachValue
            source = .stored(collection.type, visit, elements: elements)
        }
    }

    /// Those of an unmanaged collection.
    init<Element: RealmCollectionValue>(
        unmanaged elements: some Sequence<Element>, kindName: String
    ) {
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

    /// The class of a collection of objects; nil for one of values.
    var model: ClassModel? {
        switch source {
        case .results(let query): query.managedClass.model
        case .links(_, let managedClass): managedClass.model
        case .objects(_, let type): ClassModel.of(type)
        case .stored, .values: nil
        }
    }

    /// The property of a collection of objects. One that does not exist stops the program.
    func property(named name: String, of model: ClassModel) -> PropertyModel {
        guard let property = model[name] else {
            stop("Property '\(name)' not found in object of type '\(model.name)'")
        }
        return property
    }
}
