import StorageEngine

/// A type whose objects a Realm can fetch.
public protocol RealmFetchable: RealmCollectionValue {
    /// The name under which objects of this type are stored.
    static func className() -> String
    /// The class whose objects are fetched.
    static var _fetchedClass: ObjectBase.Type { get }
}

extension RealmFetchable where Self: ObjectBase {
    /// The class itself.
    public static var _fetchedClass: ObjectBase.Type { self }
}

extension Object: RealmFetchable {}

/// Objects of a Realm: all of a class, or what ``RealmCollection/filter(_:_:)`` and sorting made of
/// them or of another collection.
///
/// ```swift
/// let puppies = realm.objects(Dog.self).filter("age < 2").sorted(byKeyPath: "name")
/// ```
/// Results are live: they always show the version of the Realm they belong to, including the
/// changes of a write transaction under way. They may be used on the thread of their Realm only.
/// Making them costs nothing: objects are looked for when they are asked for, and once for each
/// version.
///
/// Iterating visits the objects that were there when the iteration began, except those that are
/// deleted meanwhile; objects that cease to match are visited.
public struct Results<Element: RealmCollectionValue> {
    /// Nil for results of values.
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

    /// What results of objects are. Those of values stop the program.
    var query: ResultsQuery {
        guard let objects else {
            stop("Querying is currently only implemented for arrays of Realm Objects")
        }
        return objects
    }
}

extension Results {
    /// True once the Realm was invalidated.
    public var isInvalidated: Bool {
        instance.checkThread()
        return !(values?.isValid ?? query.isValid)
    }

    /// The Realm that the objects are in; never nil.
    public var realm: Realm? { Realm(instance: instance) }

    private var instance: RealmInstance { values?.realm ?? query.realm }

    /// The number of objects now.
    public var count: Int { values?.values.count ?? query.count }

    /// The object at `position`. A position outside the results stops the program.
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

    /// The position of an object; nil if it does not belong to the results.
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
    /// Equal if both are the same results, or one is a copy of the other.
    public static func == (left: Results, right: Results) -> Bool {
        left.objects === right.objects && left.values === right.values
    }

    /// An iterator over the objects that there are now; it passes over those that are deleted
    /// before it reaches them.
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

    /// The first object; nil if there is none. Those behind it are not looked for, and not sorted.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Whether there is no object. The search for them ends with the first.
    public var isEmpty: Bool { values?.values.isEmpty ?? !query.hasFirst }

    public var _contents: _CollectionContents {
        if let values { return values.contents }
        query.requireValid()
        return _CollectionContents(.results(query), kindName: "Results", realm: query.realm)
    }

    public var _querySource: _QuerySource {
        values == nil ? .results(query) : _QuerySource(kind: .values)
    }
}

extension Results: Encodable where Element: Encodable {}
