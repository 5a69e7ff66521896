import CRealmSystem
import StorageEngine

/// Iterates over a Realm collection as it was when the iteration began.
///
/// Use it on the thread of the collection's Realm; elsewhere it stops the program.
@frozen
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Set for Results, whose elements are objects.
    @usableFromInline let cursor: TableCursor?
    /// The object that a cursor gave last. Here and not in the cursor, so that handing it out
    /// needs no counting in a loop that does not keep it.
    @usableFromInline var accessor: ObjectBase?
    /// Set for collections of links.
    @usableFromInline let links: LinkCursor?
    @usableFromInline let elements: _ElementIterator<Element>?

    init(cursor: TableCursor) {
        self.cursor = cursor
        links = nil
        elements = nil
    }

    init(links: LinkCursor) {
        cursor = nil
        self.links = links
        elements = nil
    }

    init(_ source: _ElementIterator<Element>.Source) {
        cursor = nil
        links = nil
        elements = _ElementIterator(source)
    }

    /// The next element; nil at the end.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
        if let cursor {
            // `Results` makes a cursor of the class `Element` only.
            if let accessor, cursor._step(accessor) {
                return unsafeBitCast(accessor, to: Element.self)
            }
            cursor._stepSlowly(&accessor)
            guard let accessor else { return nil }
            return unsafeBitCast(accessor, to: Element.self)
        }
        if let links {
            // Made by collections of objects of the class `Element` only.
            links._step(&accessor)
            guard let accessor else { return nil }
            return unsafeBitCast(accessor, to: Element.self)
        }
        return elements?.next()
    }
}

/// Iterates over elements that were taken out of their collection when the iteration began.
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
    /// The object that a cursor gave last.
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
