/// An entry of a ``Map``: a key and its value.
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

    /// Returns a Boolean value that indicates whether the values of two entries are equal. The keys
    /// are not compared.
    public static func == (left: SingleMapEntry, right: SingleMapEntry) -> Bool {
        isSameValue(left.value, right.value)
    }

    /// Hashes the key.
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
    /// The number of entries before the position.
    public var offset: UInt
}

/// An iterator over the entries that a map had when the iteration began.
public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
    private var entries: RLMKeyValueIterator<Element.Key, Element.Value>

    init(_ entries: RLMKeyValueIterator<Element.Key, Element.Value>) { self.entries = entries }

    /// Returns the next entry; nil at the end.
    public mutating func next() -> Element? {
        entries.next().map { Element(key: $0.key, value: $0.value) }
    }
}

/// An iterator over the pairs of key and value that a map had when the iteration began.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    /// A key and its value.
    public typealias Element = (key: Key, value: Value)
    private var entries: IndexingIterator<[Element]>

    init(_ entries: [Element]) { self.entries = entries.makeIterator() }

    /// Returns the next pair; nil at the end.
    public mutating func next() -> Element? { entries.next() }
}

extension Map: Sequence {
    /// Returns an iterator over the current entries. Later changes of the map do not affect it, but
    /// values that are objects can be deleted in the meantime.
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        RLMMapIterator(RLMKeyValueIterator(entries))
    }

    /// A sequence of the entries as pairs of key and value, for loops.
    ///
    /// ```swift
    /// for (city, park) in dog.favoriteParksByCity.asKeyValueSequence() { … }
    /// ```
    public struct KeyValueSequence: Sequence {
        fileprivate let map: Map

        /// Returns an iterator over the current pairs.
        public func makeIterator() -> RLMKeyValueIterator<Key, Value> {
            RLMKeyValueIterator(map.entries)
        }
    }

    /// Returns the entries as pairs of key and value.
    public func asKeyValueSequence() -> KeyValueSequence { KeyValueSequence(map: self) }
}
