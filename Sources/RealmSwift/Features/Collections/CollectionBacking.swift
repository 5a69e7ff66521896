import StorageEngine

/// What has the elements of a collection: a part of a Realm, or the memory of the program.
///
/// What collections of all kinds do in the same way is written once, for their backing.
public struct _CollectionBacking {
    enum Kind {
        /// An unmanaged collection, with the name of its kind in messages.
        case memory(kindName: String)
        /// A list, set or map in a column of an object.
        case column(any AnyManagedCollection)
        /// The objects that refer to an object.
        case backlinks(ManagedBacklinks)
        /// The results of a query.
        case query(ResultsQuery)
        /// The results of sorting values, or of removing their duplicates.
        case values(any AnySortedValues)
    }

    let kind: Kind
    /// The object that copies of the collection share; nil for linking objects.
    let instance: AnyObject?

    /// Creates the backing of a list, set or map.
    ///
    /// - Parameters:
    ///   - managed: The managed collection; nil for an unmanaged one.
    ///   - instance: The list, set or map.
    init<Handle>(_ managed: ManagedCollection<Handle>?, of instance: AnyObject) {
        kind = managed.map { .column($0) } ?? .memory(kindName: Handle.kindName)
        self.instance = instance
    }

    /// Creates the backing of linking objects, which are nil for an unmanaged object.
    init(_ managed: ManagedBacklinks?) {
        kind = managed.map { .backlinks($0) } ?? .memory(kindName: "Results")
        instance = nil
    }

    init(_ kind: Kind) {
        self.kind = kind
        instance = nil
    }

    init(_ query: ResultsQuery) {
        kind = .query(query)
        instance = query
    }

    init(_ values: any AnySortedValues) {
        kind = .values(values)
        instance = values
    }

    /// The Realm of the elements; nil for an unmanaged collection.
    var realm: RealmInstance? {
        switch kind {
        case .memory: nil
        case .column(let managed): managed.realm
        case .backlinks(let managed): managed.realm
        case .query(let query): query.realm
        case .values(let values): values.realm
        }
    }

    var isInvalidated: Bool {
        switch kind {
        case .memory: return false
        case .column(let managed): return managed.isInvalidated
        case .backlinks(let managed): return !managed.isAlive
        case .query(let query):
            query.realm.checkThread()
            return !query.isValid
        case .values(let values):
            values.realm.checkThread()
            return !values.isValid
        }
    }

    /// Whether the elements are values of a Realm.
    var hasValues: Bool {
        switch kind {
        case .values: true
        case .column(let managed): managed.target == nil
        case .memory, .backlinks, .query: false
        }
    }
}

extension AggregatableCollection {
    /// The Realm that manages the collection; nil for an unmanaged collection.
    public var realm: Realm? { _backing.realm.map { Realm(instance: $0) } }

    /// A Boolean value that indicates whether the collection can no longer be used, because its
    /// Realm was invalidated or the object that it belongs to was deleted.
    public var isInvalidated: Bool { _backing.isInvalidated }

    /// The current elements, in a form that aggregates and key-value coding read one by one.
    var _contents: CollectionContents {
        switch _backing.kind {
        case .memory(let kindName):
            return CollectionContents(unmanaged: _elements, kindName: kindName)
        case .column(let managed):
            managed.requireAlive()
            return CollectionContents(managed) { _elements.map(AggregatedValue._eraseElement) }
        case .backlinks(let managed):
            return CollectionContents(
                .links(managed.keys, managed.origin), kindName: "Results", realm: managed.realm)
        case .query(let query):
            query.requireValid()
            return CollectionContents(.results(query), kindName: "Results", realm: query.realm)
        case .values(let values): return values.contents
        }
    }

    /// The starting point of a query of the elements.
    var _querySource: QuerySource { QuerySource(_backing, of: AggregatedValue.self) }
}
