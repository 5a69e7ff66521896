import StorageEngine

/// Iterates over a Realm collection as it was when the iteration began.
@frozen
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// Set for Results, whose elements are objects.
    @usableFromInline let cursor: TableCursor?
    @usableFromInline let elements: _ElementIterator<Element>?

    init(cursor: TableCursor) {
        self.cursor = cursor
        elements = nil
    }

    init(_ source: _ElementIterator<Element>.Source) {
        cursor = nil
        elements = _ElementIterator(source)
    }

    @inlinable
    public mutating func next() -> Element? {
        if let cursor {
            // `Results` makes a cursor of the class `Element` only.
            return cursor.next().map { unsafeBitCast($0, to: Element.self) }
        }
        return elements?.next()
    }
}

/// Iterates over elements that were taken out of their collection when the iteration began.
@usableFromInline
final class _ElementIterator<Element: RealmCollectionValue> {
    enum Source {
        case array([Element])
        case list(ListSnapshot, _LinkSource?)
    }

    private let source: Source
    private var position = 0

    init(_ source: Source) { self.source = source }

    @usableFromInline
    func next() -> Element? {
        defer { position += 1 }
        switch source {
        case .array(let elements):
            return position < elements.count ? elements[position] : nil
        case .list(let snapshot, let link):
            guard position < snapshot.values.count else { return nil }
            return snapshot.decode(position, as: Element.self, link)
        }
    }
}
