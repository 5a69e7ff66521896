import StorageEngine

/// The starting point of a query of a collection.
public struct _QuerySource {
    enum Kind {
        case results(ResultsQuery)
        /// The objects of a managed collection. `isDecoded` is true if the elements are not the
        /// objects themselves, but optionals or values of a custom type made from them.
        case links(ManagedClass, isDecoded: Bool, () -> [ObjectKey])
        /// The values of a managed collection.
        case values
        /// An unmanaged collection. `className` is its name in messages, and `linked` is the class
        /// of its objects.
        case unmanaged(className: String, linked: ObjectBase.Type?, isDecoded: Bool)
    }

    let kind: Kind

    static func results(_ query: ResultsQuery) -> _QuerySource {
        _QuerySource(kind: .results(query))
    }

    /// Creates the starting point for a collection.
    ///
    /// - Parameters:
    ///   - collection: The managed collection; nil for an unmanaged one.
    ///   - type: The type of the elements.
    ///   - className: The name of the collection in messages.
    init<Handle, Element: RealmCollectionValue>(
        _ collection: ManagedCollection<Handle>?, of type: Element.Type, className: String
    ) {
        guard let collection else {
            kind = .unmanaged(
                className: className, linked: Element._elementShape.linkedClass,
                isDecoded: !(type is ObjectBase.Type))
            return
        }
        guard let target = collection.target else {
            kind = .values
            return
        }
        kind = .links(target, isDecoded: !(type is ObjectBase.Type)) {
            // The results of a query of a collection whose object was deleted are empty.
            collection.isInvalidated ? [] : collection.links().map { ObjectKey(rawValue: $0) }
        }
    }

    init(kind: Kind) { self.kind = kind }

    var isUnmanaged: Bool {
        if case .unmanaged = kind { true } else { false }
    }

    /// Returns the query to start from. Stops the program if the collection cannot be queried.
    func query() -> ResultsQuery {
        switch kind {
        case .results(let query):
            query.requireValid()
            return query
        case .links(let target, let isDecoded, let keys):
            target.realm.checkThread()
            return ResultsQuery(target, isDecoded: isDecoded, .keys(keys))
        case .values:
            stop("Querying is currently only implemented for arrays of Realm Objects")
        case .unmanaged(let className, let linked, let isDecoded):
            // The object that owns the collection may be one that a failed transaction could not
            // add.
            if let realm = RealmCache.failedInstance, let linked, realm.schema[linked] != nil {
                return ResultsQuery(
                    realm.managedClass(for: linked), isDecoded: isDecoded, .keys { [] })
            }
            stop(
                "This method may only be called on \(className) instances retrieved from an "
                    + "RLMRealm")
        }
    }
}
