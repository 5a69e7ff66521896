import StorageEngine

extension _CollectionBacking {
    /// Stops the program if the collection cannot be used any more.
    func requireAlive() {
        switch kind {
        case .memory: break
        case .query(let query): query.requireValid()
        case .column(let managed): managed.requireAlive()
        case .backlinks, .values: if isInvalidated { stop("Collection is no longer valid") }
        }
    }

    /// Whether the collection was invalidated together with its Realm.
    var hasRealmInvalidated: Bool {
        switch kind {
        case .memory: false
        case .query(let query): !query.isValid
        case .values(let values): !values.isValid
        case .column(let managed): managed.birth < managed.realm.firstValidGeneration
        case .backlinks(let managed): !managed.isValid
        }
    }

    /// Identifies what is to be observed of the collection.
    func identity(_ keyPaths: [String]?) -> ObservedIdentity {
        switch kind {
        case .memory: stop("Change notifications are only supported on managed collections.")
        case .query(let query):
            return ObservedIdentity(
                QueryIdentity(query).map(ObservedSubject.query) ?? .instance(of: query), keyPaths)
        case .backlinks(let managed): return ObservedIdentity(.backlinks(managed), keyPaths)
        case .values(let values): return ObservedIdentity(.instance(of: values), keyPaths)
        case .column(let managed): return ObservedIdentity(.collection(managed), keyPaths)
        }
    }

    /// Returns what is to be observed of the collection, in another Realm of its file.
    func observed(in realm: RealmInstance, _ keyPaths: [String]?) -> Observed {
        switch moved(to: realm).kind {
        case .memory: stop("Change notifications are only supported on managed collections.")
        case .query(let query):
            return ObservedQuery(query, .of(query.managedClass, keyPaths))
        case .backlinks(let managed):
            return ObservedQuery(
                ResultsQuery(managed.origin, from: .backlinks(managed)),
                .of(managed.origin, keyPaths))
        case .values(let values): return ObservedValues { values.ownedValues() }
        case .column(let managed): return managed.observed(keyPaths)
        }
    }
}

extension ObservedClass {
    /// The properties that count, or all if no key paths are given.
    static func of(_ managedClass: ManagedClass, _ keyPaths: [String]?) -> ObservedClass {
        guard let keyPaths, !keyPaths.isEmpty else { return everything(of: managedClass) }
        return paths(keyPaths, of: managedClass)
    }
}

extension AnyManagedCollection {
    fileprivate func observed(_ keyPaths: [String]?) -> Observed {
        let elements = target.map { ObservedClass.of($0, keyPaths) }
        switch self {
        case let list as ManagedList: return ObservedCollection(list, elements)
        case let set as ManagedSet: return ObservedCollection(set, elements)
        case let map as ManagedMap: return ObservedMap(map, elements)
        default: stop("A collection is a list, a set or a map.")
        }
    }
}
