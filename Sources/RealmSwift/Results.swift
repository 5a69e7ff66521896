import StorageEngine

/// A type whose objects a Realm can fetch.
public protocol RealmFetchable: RealmCollectionValue {
    /// The name under which objects of this type are stored.
    static func className() -> String
}

extension Object: RealmFetchable {}

/// The objects of a class in a Realm.
///
/// Results are live: they always show the version of the Realm they belong to, including the
/// changes of a write transaction under way. They may be used on the thread of their Realm only.
///
/// Iterating visits the objects that were there when the iteration began, except those that are
/// deleted meanwhile.
public struct Results<Element: RealmCollectionValue>: Equatable {
    let query: ResultsQuery

    /// Equal if both are the same results, or one is a copy of the other.
    public static func == (left: Results, right: Results) -> Bool { left.query === right.query }
}

/// What copies of a `Results` value share.
final class ResultsQuery {
    let managedClass: ManagedClass
    /// Keeps the Realm alive.
    let realm: RealmInstance

    init(_ managedClass: ManagedClass) {
        self.managedClass = managedClass
        realm = managedClass.realm
    }

    /// Stops unless the results may be used now.
    func requireValid() {
        realm.checkThread()
        if !managedClass.isValid { stop("Collection is no longer valid") }
        realm.resumeReading()
    }

    var count: Int {
        requireValid()
        guard let table = managedClass.table else { return 0 }
        return attempt { try table.count() }
    }

    /// The object at a position that exists.
    func object(at position: Int) -> ObjectBase {
        let table = managedClass.existingTable
        let location = attempt { try table.location(at: position) }
        let object = managedClass.makeAccessor(key: table.key(at: location).rawValue)
        object._place(at: location, stamp: realm.connection.layoutStamp.pointee)
        return object
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
        return !query.managedClass.isValid
    }

    public var realm: Realm? { Realm(instance: query.realm) }

    public var count: Int { query.count }

    /// The object at `position`. A position outside the results stops the program.
    public subscript(position: Int) -> Element {
        requireIndex(position, upTo: count)
        return element(query.object(at: position))
    }

    public var first: Element? { count == 0 ? nil : element(query.object(at: 0)) }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : element(query.object(at: count - 1))
    }

    /// The position of an object; nil if it does not belong to the results.
    public func index(of object: Element) -> Int? {
        (object as? ObjectBase).flatMap(query.position(of:))
    }

    private func element(_ object: ObjectBase) -> Element {
        guard let element = object as? Element else {
            stop("Results of '\(Element.self)' hold an object of type '\(type(of: object))'.")
        }
        return element
    }
}

extension Results: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public func makeIterator() -> RLMIterator<Element> {
        query.requireValid()
        guard let cursor = TableCursor(query.managedClass) else {
            return RLMIterator(.array([]))
        }
        return RLMIterator(cursor: cursor)
    }
}

extension Results: CustomStringConvertible {
    public var description: String { ObjectPrinter.describe(self) }
}
