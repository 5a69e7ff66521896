import StorageEngine

/// The starting point of a query of a collection.
struct QuerySource {
    enum Kind {
        case results(ResultsQuery)
        /// The objects of a managed collection. `isDecoded` is true if the elements are not the
        /// objects themselves, but optionals or values of a custom type made from them.
        case links(ManagedClass, isDecoded: Bool, ResultsQuery.Source)
        /// The values of a managed collection.
        case values
        /// An unmanaged collection. `className` is its name in messages, and `linked` is the class
        /// of its objects.
        case unmanaged(className: String, linked: ObjectBase.Type?, isDecoded: Bool)
    }

    let kind: Kind

    /// Creates the starting point for a collection with elements of a type.
    init<Element: RealmCollectionValue>(_ backing: _CollectionBacking, of type: Element.Type) {
        switch backing.kind {
        case .query(let query): kind = .results(query)
        case .values: kind = .values
        case .memory(let kindName):
            kind = .unmanaged(
                className: "RLM" + (kindName == ListHandle.kindName ? "Array" : kindName),
                linked: Element._elementShape.linkedClass,
                isDecoded: !(type is ObjectBase.Type))
        case .backlinks(let managed):
            kind = .links(managed.origin, isDecoded: false, .backlinks(managed))
        case .column(let managed):
            guard let target = managed.target else {
                kind = .values
                return
            }
            kind = .links(target, isDecoded: !(type is ObjectBase.Type), .column(managed))
        }
    }

    var isUnmanaged: Bool {
        if case .unmanaged = kind { true } else { false }
    }

    /// Returns the query to start from. Stops the program if the collection cannot be queried.
    func query() -> ResultsQuery {
        switch kind {
        case .results(let query):
            query.requireValid()
            return query
        case .links(let target, let isDecoded, let origin):
            target.realm.checkThread()
            return ResultsQuery(target, isDecoded: isDecoded, from: origin)
        case .values:
            stop("Querying is currently only implemented for arrays of Realm Objects")
        case .unmanaged(let className, let linked, let isDecoded):
            // The object that owns the collection may be one that a failed transaction could not
            // add.
            if let realm = RealmCache.failedInstance, let linked, realm.schema[linked] != nil {
                return ResultsQuery(
                    realm.managedClass(for: linked), isDecoded: isDecoded, from: .nothing)
            }
            stop(
                "This method may only be called on \(className) instances retrieved from an "
                    + "RLMRealm")
        }
    }
}
