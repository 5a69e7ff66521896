import StorageEngine

/// What a query of a collection starts from.
public struct _QuerySource {
    enum Kind {
        case results(ResultsQuery)
        /// Objects of a managed collection. `isDecoded` if its elements are not these objects
        /// themselves, but optionals or what a custom type makes of them.
        case links(ManagedClass, isDecoded: Bool, () -> [ObjectKey])
        /// Values of a managed collection.
        case values
        /// `className` is how messages call the collection. `linked`: the class of its objects.
        case unmanaged(className: String, linked: ObjectBase.Type?, isDecoded: Bool)
    }

    let kind: Kind

    static func results(_ query: ResultsQuery) -> _QuerySource {
        _QuerySource(kind: .results(query))
    }

    /// - Parameter collection: nil while unmanaged.
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
            // What was filtered out of a collection whose object is gone is empty.
            collection.isInvalidated ? [] : collection.links().map { ObjectKey(rawValue: $0) }
        }
    }

    init(kind: Kind) { self.kind = kind }

    var isUnmanaged: Bool {
        if case .unmanaged = kind { true } else { false }
    }

    /// The query to start from. A collection that cannot be queried stops the program.
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
            // Its object may be one that a failed transaction could not add.
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
