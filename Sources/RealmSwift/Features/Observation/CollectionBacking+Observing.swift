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

    /// Whether the collection cannot be read, or is empty, although it may exist: it was
    /// invalidated together with its Realm, or its object by a deletion that was cancelled.
    var isStale: Bool {
        switch kind {
        case .memory: false
        case .query(let query): !query.isValid || query.origin.isStale
        case .values(let values): !values.isValid || values.source?.isStale ?? false
        case .column(let managed): managed.isStale
        case .backlinks(let managed): managed.isStale
        }
    }

    /// Whether the collection will never have other elements than now: it is stale, or what it
    /// belongs to was deleted.
    var isOver: Bool {
        switch kind {
        case .memory: false
        case .query(let query): !query.isValid || query.origin.isOver
        case .values(let values): !values.isValid || values.source?.isInvalidated ?? true
        case .column, .backlinks: isInvalidated
        }
    }

    /// Has a query take over the objects that were found for its observers.
    func adopt(_ objects: OrderedKeys?) {
        if case .query(let query) = kind, let objects { query.adopt(objects) }
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
        observed(in: realm) { .of($0, keyPaths) }
    }

    /// The same; `modifications` says what counts as a modification of objects of a class.
    func observed(
        in realm: RealmInstance, counting modifications: (ManagedClass) -> ObservedClass
    ) -> Observed {
        switch moved(to: realm).kind {
        case .memory: stop("Change notifications are only supported on managed collections.")
        case .query(let query):
            return ObservedQuery(query, modifications(query.managedClass))
        case .backlinks(let managed):
            return ObservedQuery(
                ResultsQuery(managed.origin, from: .backlinks(managed)),
                modifications(managed.origin))
        case .values(let values): return ObservedValues(values)
        case .column(let managed): return managed.observed(managed.target.map(modifications))
        }
    }
}

extension ResultsQuery.Source {
    fileprivate var isStale: Bool {
        switch self {
        case .table, .nothing: false
        case .column(let managed): managed.isStale
        case .backlinks(let managed): managed.isStale
        }
    }

    /// Whether there will never be other objects.
    fileprivate var isOver: Bool {
        switch self {
        case .table: false
        case .nothing: true
        case .column, .backlinks: isGone
        }
    }

    /// Whether what has the objects does not exist, so that it never will again.
    var isGone: Bool {
        switch self {
        case .table, .nothing: false
        case .column(let managed): managed.isInvalidated
        case .backlinks(let managed): !managed.isAlive
        }
    }
}

extension AnyManagedCollection {
    /// Whether this was invalidated, although its object exists.
    fileprivate var isStale: Bool {
        birth < realm.firstValidGeneration
            || (!isOwnerAlive && owner.isAlive(key: key, birth: realm.generation))
    }
}

extension ManagedBacklinks {
    /// Whether these were invalidated, although their object exists.
    fileprivate var isStale: Bool {
        !isValid
            || (!isAlive && targetClass.isAlive(key: targetKey.rawValue, birth: realm.generation))
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
    fileprivate func observed(_ elements: ObservedClass?) -> Observed {
        switch self {
        case let list as ManagedList: return ObservedCollection(list, elements)
        case let set as ManagedSet: return ObservedCollection(set, elements)
        case let map as ManagedMap: return ObservedMap(map, elements)
        default: stop("A collection is a list, a set or a map.")
        }
    }
}
