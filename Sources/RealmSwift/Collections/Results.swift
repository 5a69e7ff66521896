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

/// The objects of a class in a Realm.
///
/// Results are live: they always show the version of the Realm they belong to, including the
/// changes of a write transaction under way. They may be used on the thread of their Realm only.
///
/// Iterating visits the objects that were there when the iteration began, except those that are
/// deleted meanwhile.
public struct Results<Element: RealmCollectionValue> {
    @usableFromInline let query: ResultsQuery
}

/// What copies of a `Results` value share.
@usableFromInline
final class ResultsQuery {
    let managedClass: ManagedClass
    /// Keeps the Realm alive.
    let realm: RealmInstance
    private let birth: UInt32
    /// Whether elements are projections of the objects.
    @usableFromInline let isProjected: Bool
    // The leaf that was read last, because positions are often asked for in sequence. One thread
    // uses these, and nothing is called while they are accessed.
    @exclusivity(unchecked) private var leaf: Node?
    @exclusivity(unchecked) private var leafPositions = 0..<0
    /// The layout stamp for which the leaf is the right one.
    @exclusivity(unchecked) private var leafStamp = UInt64.max

    init(_ managedClass: ManagedClass, isProjected: Bool = false) {
        self.managedClass = managedClass
        self.isProjected = isProjected
        realm = managedClass.realm
        birth = realm.generation
    }

    var isValid: Bool { managedClass.isValid(birth: birth) }

    /// Stops unless the results may be used now.
    func requireValid() {
        realm.checkThread()
        if !isValid { stop("Collection is no longer valid") }
        realm.resumeReading()
    }

    /// Where the objects come from.
    var source: _LinkSource { _LinkSource(target: managedClass, birth: realm.generation) }

    var count: Int {
        requireValid()
        guard let table = managedClass.table else { return 0 }
        return attempt { try table.count() }
    }

    /// The object at a position; one outside the results stops the program.
    @usableFromInline
    func object(at position: Int) -> ObjectBase {
        let count = count
        if UInt(bitPattern: position) >= UInt(bitPattern: count) {
            requireIndex(position, upTo: count)
        }
        let stamp = realm.connection.layoutStamp.pointee
        let location: RowLocation
        if stamp == leafStamp, let leaf, leafPositions.contains(position) {
            location = RowLocation(leaf: leaf, row: position - leafPositions.lowerBound)
        } else {
            location = findLeaf(with: position)
        }
        let table = managedClass.existingTable
        let object = managedClass.makeAccessor(key: table.key(at: location).rawValue)
        object._place(at: location, stamp: stamp)
        return object
    }

    private func findLeaf(with position: Int) -> RowLocation {
        let location = attempt { try managedClass.existingTable.location(at: position) }
        let first = position - location.row
        leaf = location.leaf
        leafPositions = first..<first + location.leaf.rowCount
        leafStamp = realm.connection.layoutStamp.pointee
        return location
    }

    func position(of object: ObjectBase) -> Int? {
        requireValid()
        guard object._managedClass === managedClass, !object.isInvalidated else { return nil }
        return attempt {
            try managedClass.existingTable.position(of: ObjectKey(rawValue: object._key))
        }
    }
}

extension Results {
    /// True once the Realm was invalidated.
    public var isInvalidated: Bool {
        query.realm.checkThread()
        return !query.isValid
    }

    /// The Realm that the objects are in; never nil.
    public var realm: Realm? { Realm(instance: query.realm) }

    /// The number of objects now.
    public var count: Int { query.count }

    /// The object at `position`. A position outside the results stops the program.
    @inlinable
    public subscript(position: Int) -> Element {
        if query.isProjected { return projection(at: position) }
        // Safe because Results are made by `Realm.objects` only, which takes the class of the query
        // from `Element`.
        return unsafeBitCast(query.object(at: position), to: Element.self)
    }

    @usableFromInline
    func projection(at position: Int) -> Element {
        let key = query.object(at: position)._key
        return Element._decode(.integer(key), query.source)
    }

    /// The position of an object; nil if it does not belong to the results.
    public func index(of object: Element) -> Int? {
        if let object = object as? ObjectBase { return query.position(of: object) }
        query.requireValid()
        let sought = Element._encodeSought(object, query.realm.scratch)
        guard case .integer(let key)? = sought else { return nil }
        return attempt {
            try query.managedClass.table?.position(of: ObjectKey(rawValue: key))
        }
    }
}

extension Results: RealmCollection {
    /// Equal if both are the same results, or one is a copy of the other.
    public static func == (left: Results, right: Results) -> Bool { left.query === right.query }

    /// An iterator over the objects that there are now; it passes over those that are deleted
    /// before it reaches them.
    public func makeIterator() -> RLMIterator<Element> {
        query.requireValid()
        guard let cursor = TableCursor(query.managedClass) else {
            return RLMIterator(.array([]))
        }
        if query.isProjected {
            return RLMIterator(.projections(cursor, query.managedClass))
        }
        return RLMIterator(cursor: cursor)
    }
    public var _contents: _CollectionContents {
        query.requireValid()
        return _CollectionContents(
            .table(query.managedClass), kindName: "Results", realm: query.realm)
    }
}

extension Results: Encodable where Element: Encodable {}
