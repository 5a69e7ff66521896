import StorageEngine

/// Iterates over a Realm collection as it was when the iteration began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    enum Source {
        case array(IndexingIterator<[Element]>)
        case list(ListSnapshot, _LinkSource?)
        case table(TableCursor)
    }

    private var source: Source
    private var position = 0

    init(_ source: Source) { self.source = source }

    public mutating func next() -> Element? {
        switch source {
        case .array(var iterator):
            defer { source = .array(iterator) }
            return iterator.next()
        case .list(let snapshot, let link):
            guard position < snapshot.values.count else { return nil }
            defer { position += 1 }
            return snapshot.decode(position, as: Element.self, link)
        case .table(let cursor):
            // A table cursor is made for Results of objects only.
            return cursor.next().map { unsafeDowncast($0 as AnyObject, to: ObjectBase.self) }
                .flatMap { $0 as? Element }
        }
    }
}
