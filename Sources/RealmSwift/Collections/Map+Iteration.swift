/// A key and its value, as iterating over a ``Map`` gives them.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: _RealmMapValue, Hashable {
    /// The key.
    public var key: Key
    /// The value.
    public var value: Value

    /// Creates an entry.
    public init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }

    /// Whether the values are equal.
    public static func == (left: SingleMapEntry, right: SingleMapEntry) -> Bool {
        isSameValue(left.value, right.value)
    }

    /// By the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// An entry of a map.
public protocol _RealmMapValue {
    /// The type of the key.
    associatedtype Key: _MapKey
    /// The type of the value.
    associatedtype Value: RealmCollectionValue
    /// Creates an entry.
    init(key: Key, value: Value)
}

/// A position in the order of a map.
public struct MapIndex {
    /// How many entries come before.
    public var offset: UInt
}

/// Iterates over the entries that a map had when the iteration began.
public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
    private var entries: RLMKeyValueIterator<Element.Key, Element.Value>

    init(_ entries: RLMKeyValueIterator<Element.Key, Element.Value>) { self.entries = entries }

    /// The next entry; nil at the end.
    public mutating func next() -> Element? {
        entries.next().map { Element(key: $0.key, value: $0.value) }
    }
}

/// Iterates over the pairs of key and value that a map had when the iteration began.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    /// A key and its value.
    public typealias Element = (key: Key, value: Value)
    private var entries: IndexingIterator<[Element]>

    init(_ entries: [Element]) { self.entries = entries.makeIterator() }

    /// The next pair; nil at the end.
    public mutating func next() -> Element? { entries.next() }
}

extension Map: Sequence {
    /// An iterator over the entries that there are now; later changes of the map do not concern it.
    /// Values that are objects may be deleted meanwhile.
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        RLMMapIterator(RLMKeyValueIterator(entries))
    }

    /// The entries as pairs, for a loop:
    ///
    /// ```swift
    /// for (city, park) in dog.favoriteParksByCity.asKeyValueSequence() { … }
    /// ```
    public struct KeyValueSequence: Sequence {
        fileprivate let map: Map

        /// An iterator over the pairs that there are now.
        public func makeIterator() -> RLMKeyValueIterator<Key, Value> {
            RLMKeyValueIterator(map.entries)
        }
    }

    /// The entries as pairs of key and value.
    public func asKeyValueSequence() -> KeyValueSequence { KeyValueSequence(map: self) }
}
