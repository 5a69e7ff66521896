import StorageEngine

/// A type whose objects can be fetched from a Realm.
public protocol RealmFetchable: RealmCollectionValue {
    /// Returns the name under which objects of this type are stored.
    static func className() -> String
    /// The class of the fetched objects.
    static var _fetchedClass: ObjectBase.Type { get }
}

extension RealmFetchable where Self: ObjectBase {
    /// The class itself.
    public static var _fetchedClass: ObjectBase.Type { self }
}

extension Object: RealmFetchable {}

/// The objects of a class in a Realm, or the result of filtering and sorting them or another
/// collection with methods such as ``AggregatableCollection/filter(_:_:)``.
///
/// ```swift
/// let puppies = realm.objects(Dog.self).filter("age < 2").sorted(byKeyPath: "name")
/// ```
/// Results are live: they always show the version that their Realm shows, including the changes of
/// an open write transaction. They can be used only on the thread of their Realm. Creating results
/// is cheap: the objects are searched on first access, once per version.
///
/// An iteration visits the objects that the results had when the iteration began. Objects deleted
/// in the meantime are skipped; objects that no longer match are visited.
public struct Results<Element: RealmCollectionValue> {
    /// The query of results of objects; nil for results of values.
    @usableFromInline let objects: ResultsQuery?
    /// The values of a collection; nil for results of objects.
    let values: SortedValues<Element>?

    init(query: ResultsQuery) {
        objects = query
        values = nil
    }

    init(values: SortedValues<Element>) {
        objects = nil
        self.values = values
    }

    /// The query of results of objects. Stops the program for results of values.
    var query: ResultsQuery {
        guard let objects else {
            stop("Querying is currently only implemented for arrays of Realm Objects")
        }
        return objects
    }
}

extension Results {
    /// The current number of objects.
    public var count: Int { values?.values.count ?? query.count }

    /// Returns the object at `position`.
    ///
    /// - Precondition: The position is valid.
    @inlinable
    public subscript(position: Int) -> Element {
        guard let objects, !objects.isDecoded else { return decoded(at: position) }
        // Safe because the class of a query that is not decoded is `Element`.
        return unsafeBitCast(objects.object(at: position), to: Element.self)
    }

    @usableFromInline
    func decoded(at position: Int) -> Element {
        if let (type, realm) = values.map({ ($0.type, $0.realm) }), let values = values?.values {
            if !values.indices.contains(position) {
                if type != .link, realm.isInFailedTransaction { return Element._decode(.null, nil) }
                requireIndex(position, upTo: values.count)
            }
            return values[position].element
        }
        let key = query.object(at: position)._key
        return Element._decode(.integer(key), query.source)
    }

    /// Returns the position of an object; nil if the results do not contain it.
    public func index(of object: Element) -> Int? {
        if let values { return values.values.firstIndex { isSameValue($0.element, object) } }
        if let object = object as? ObjectBase { return query.position(of: object) }
        query.requireValid()
        let sought = Element._encodeSought(object, query.realm.scratch)
        guard case .integer(let key)? = sought else { return nil }
        return query.position(ofKey: ObjectKey(rawValue: key))
    }
}

extension Results: RealmCollection {
    /// Returns a Boolean value that indicates whether one is a copy of the other. Equal queries
    /// created separately are not equal.
    public static func == (left: Results, right: Results) -> Bool {
        left.objects === right.objects && left.values === right.values
    }

    /// Returns an iterator over the current objects. It skips objects that are deleted before it
    /// reaches them.
    public func makeIterator() -> RLMIterator<Element> {
        if let values { return RLMIterator(.array(values.values.map(\.element))) }
        query.requireValid()
        if !query.isWholeTable {
            let links = LinkCursor(query.keys, of: query.managedClass)
            if query.isDecoded {
                return RLMIterator(.projectedLinks(links, query.managedClass))
            }
            return RLMIterator(links: links)
        }
        guard let cursor = TableCursor(query.managedClass) else {
            return RLMIterator(.array([]))
        }
        if query.isDecoded {
            return RLMIterator(.projections(cursor, query.managedClass))
        }
        return RLMIterator(cursor: cursor)
    }

    /// The first object; nil if there is none. The other objects are neither searched nor sorted.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// A Boolean value that indicates whether there is no object. The search ends with the first
    /// object.
    public var isEmpty: Bool { values?.values.isEmpty ?? !query.hasFirst }

    public var _backing: _CollectionBacking {
        // Objects first: without values, the metadata of `SortedValues<Element>` is not looked up.
        if let objects { return _CollectionBacking(objects) }
        return values.map { _CollectionBacking($0) } ?? _CollectionBacking(query)
    }

    public func _moved(to realm: Realm) -> Results {
        if let values, let moved = values.moved(to: realm.instance) as? SortedValues<Element> {
            return Results(values: moved)
        }
        return Results(query: query.moved(to: realm.instance))
    }
}

extension Results: Encodable where Element: Encodable {}
