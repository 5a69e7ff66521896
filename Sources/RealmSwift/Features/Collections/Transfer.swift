import StorageEngine

/// The same things in another Realm of the same file. Both Realms must store the same classes.
extension RealmInstance {
    /// Returns the class of this Realm that a class of another Realm corresponds to.
    func counterpart(of other: ManagedClass) -> ManagedClass {
        if other.realm === self { return other }
        return other.model.hasStorage
            ? managedClass(for: other.model.type) : dynamicClass(named: other.model.name)
    }
}

extension ManagedCollection {
    func moved(to realm: RealmInstance) -> ManagedCollection {
        let owner = realm.counterpart(of: self.owner)
        return ManagedCollection(
            handle.moved(to: owner.existingTable), inside: owner, birth: realm.generation,
            column: column, isNested: isNested)
    }
}

extension _CollectionBacking {
    /// Returns the same collection in another Realm.
    func moved(to realm: RealmInstance) -> _CollectionBacking {
        switch kind {
        case .memory: self
        case .column(let managed):
            _CollectionBacking(.column(managed.moved(to: realm)))
        case .backlinks(let managed): _CollectionBacking(managed.moved(to: realm))
        case .query(let query): _CollectionBacking(query.moved(to: realm))
        case .values(let values): _CollectionBacking(values.moved(to: realm))
        }
    }
}

extension ResultsQuery {
    /// Returns the same query of another Realm.
    func moved(to realm: RealmInstance) -> ResultsQuery {
        let managedClass = realm.counterpart(of: self.managedClass)
        guard let table = managedClass.table else {
            return ResultsQuery(managedClass, isDecoded: isDecoded)
        }
        return ResultsQuery(
            managedClass, isDecoded: isDecoded, from: origin.moved(to: realm),
            operations: attempt { try operations.map { try $0.moved(to: table) } })
    }
}

extension ResultsQuery.Source {
    fileprivate func moved(to realm: RealmInstance) -> Self {
        switch self {
        case .table, .nothing: self
        case .column(let managed): .column(managed.moved(to: realm))
        case .backlinks(let managed): .backlinks(managed.moved(to: realm))
        }
    }
}

extension ResultsQuery.Operation {
    /// Returns the same operation with a plan of its own, which another thread may use.
    func moved(to table: Table) throws -> Self {
        switch self {
        case .filter(let condition, _):
            let own = condition.withOwnVariables()
            return .filter(own, try QueryPlan(table, own))
        case .sort(_, let orders): return .sort(try QuerySorter(table, orders), orders)
        case .distinct(_, let orders): return .distinct(try QuerySorter(table, orders), orders)
        }
    }
}
