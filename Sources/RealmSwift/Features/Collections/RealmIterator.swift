import CRealmSystem
import StorageEngine

/// An iterator over the elements that a Realm collection had when the iteration began.
///
/// Use it on the thread of the collection's Realm; use on another thread stops the program.
@frozen
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    // A step through an unmanaged reference counts nothing; `owner` keeps the cursor alive.

    /// The cursor of results that are all objects of a class.
    @usableFromInline let cursor: Unmanaged<TableCursor>?
    /// The cursor of a collection of links.
    @usableFromInline let links: Unmanaged<LinkCursor>?
    @usableFromInline let owner: AnyObject?
    /// The object that a cursor returned last. It is stored here and not in the cursor, so that a
    /// loop that does not keep the object needs no reference counting.
    @usableFromInline var accessor: ObjectBase?
    @usableFromInline let elements: _ElementIterator<Element>?

    init(cursor: TableCursor) {
        self.cursor = .passUnretained(cursor)
        links = nil
        owner = cursor
        elements = nil
    }

    init(links: LinkCursor) {
        cursor = nil
        self.links = .passUnretained(links)
        owner = links
        elements = nil
    }

    init(_ source: _ElementIterator<Element>.Source) {
        cursor = nil
        links = nil
        owner = nil
        elements = _ElementIterator(source)
    }

    /// Returns the next element; nil at the end.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
        if let cursor {
            // Safe because `Results` creates a cursor only for the class `Element`.
            cursor._withUnsafeGuaranteedRef {
                if !$0._step(&accessor) { $0._stepSlowly(&accessor) }
            }
            guard let accessor else { return nil }
            return unsafeBitCast(accessor, to: Element.self)
        }
        if let links {
            // Safe because a collection creates a cursor only for objects of the class `Element`.
            links._withUnsafeGuaranteedRef { $0._step(&accessor) }
            guard let accessor else { return nil }
            return unsafeBitCast(accessor, to: Element.self)
        }
        return elements?.next()
    }
}

/// An iterator over elements that were read when the iteration began, or that a cursor decodes.
@usableFromInline
final class _ElementIterator<Element: RealmCollectionValue> {
    enum Source {
        case array([Element])
        case values(ValueSnapshot, RealmInstance)
        case projections(TableCursor, ManagedClass)
        case projectedLinks(LinkCursor, ManagedClass)
    }

    private let source: Source
    private var position = 0
    /// The object that a cursor returned last.
    private var accessor: ObjectBase?

    init(_ source: Source) { self.source = source }

    @usableFromInline
    func next() -> Element? {
        defer { position += 1 }
        switch source {
        case .array(let elements):
            return position < elements.count ? elements[position] : nil
        case .values(let snapshot, let realm):
            realm.checkThread()
            guard position < snapshot.count else { return nil }
            return snapshot.decode(position, as: Element.self)
        case .projections(let cursor, let managedClass):
            cursor._stepSlowly(&accessor)
            return projection(managedClass)
        case .projectedLinks(let cursor, let managedClass):
            cursor._step(&accessor)
            return projection(managedClass)
        }
    }

    private func projection(_ managedClass: ManagedClass) -> Element? {
        guard let accessor else { return nil }
        let source = _LinkSource(target: managedClass, birth: accessor._birth)
        return Element._decode(.integer(accessor._key), source)
    }
}
