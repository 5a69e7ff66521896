import StorageEngine

/// A collection of values with distinct string keys that belongs to an object.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted var favoriteParksByCity: Map<String, String>
///     @Persisted var friends: Map<String, Dog?>
/// }
/// dog.favoriteParksByCity["Chicago"] = "Lincoln Park"
/// ```
/// A map of a managed object is live: it always shows the stored entries. It can be used only on
/// the thread of its Realm, and changed only in a write transaction. A managed map is ordered by
/// its keys; an unmanaged map has no order.
///
/// A key of a managed map that begins with `$` or contains `.` stops the program; encode such
/// characters. Keys are compared by their bytes: "\u{e9}" and "e\u{301}" are two keys, although
/// they are equal in Swift.
///
/// Objects are optional as values: when an object is deleted, its key stays, with a nil value.
/// Assigning nil removes a key; `.some(nil)` keeps it and stores nil:
///
/// ```swift
/// dog.friends["best"] = .some(nil)
/// ```
/// An iteration visits the entries that the map had when the iteration began.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// The entries of an unmanaged map.
    var contents: [StoredText: Value] = [:]
    /// The place of a managed map. Unchecked exclusivity is safe, because only one thread uses it
    /// and nothing is called during an access.
    @exclusivity(unchecked) var managed: ManagedMap?

    /// Creates an empty unmanaged map.
    public init() {}

    init(managed: ManagedMap) { self.managed = managed }

    deinit {
        // Nested maps are released iteratively, not recursively.
        guard Self.self == Map<String, AnyRealmValue>.self, !contents.isEmpty else { return }
        var nested = NestedRelease(
            unsafeBitCast(contents, to: [StoredText: AnyRealmValue].self).values)
        contents = [:]
        nested.run()
    }
}

extension Map: RealmKeyedCollection {
    /// The number of keys.
    public var count: Int {
        guard let managed = managed.readable() else { return contents.count }
        return managed.count
    }

    /// All keys, in ascending order for a managed map.
    public var keys: [Key] {
        guard let managed = managed.readable() else { return entries.map(\.key) }
        return managed.realm.read(absent: []) {
            var keys: [Key] = []
            try managed.forEachEntry { key, _ in keys.append(Key(_storedKey: key)) }
            return keys
        }
    }

    /// All values, in the order of ``keys``.
    public var values: [Value] {
        managed.readable() == nil ? Array(contents.values) : entries.map(\.value)
    }

    /// Accesses the value of a key; nil if the map does not have the key.
    ///
    /// Assigning nil removes the key. An optional value that is nil is read and written as
    /// `.some(nil)`.
    ///
    /// - Precondition: A managed map is changed in a write transaction.
    public subscript(key: Key) -> Value? {
        get {
            guard let managed = managed.readable() else {
                return contents[StoredText(key._storedKey)] ?? traced
            }
            let key = key._storedKey
            let stored = managed.realm.read(absent: nil) {
                try key.withKeyBytes { try managed.handle.value(forKey: $0) }
            }
            return stored.map { managed.decode($0, forKey: key) }
        }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeObject(for: key)
            }
        }
    }

    /// The value of every key while a key path is traced; otherwise nil.
    private var traced: Value? {
        _KeyPathTracer.active.flatMap { Value._makeTracedElement($0) }
    }

    /// Returns a Boolean value that indicates whether an entry satisfies the predicate.
    public func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool {
        entries.contains { predicate($0.key, $0.value) }
    }

    public var _backing: _CollectionBacking { _CollectionBacking(managed, of: self) }

    public func _moved(to realm: Realm) -> Map {
        managed.map { Map(managed: $0.moved(to: realm.instance)) } ?? self
    }

    /// The current entries.
    var entries: [(key: Key, value: Value)] {
        guard let managed = managed.readable() else {
            return contents.map { (Key(_storedKey: $0.key.text), $0.value) }
        }
        return managed.realm.read(absent: []) {
            var entries: [(key: Key, value: Value)] = []
            entries.reserveCapacity(try managed.handle.count())
            try managed.forEachEntry { key, scalar in
                entries.append((Key(_storedKey: key), managed.decode(scalar, forKey: key)))
            }
            return entries
        }
    }
}

extension ManagedCollection<MapHandle> {
    /// Calls `body` with all entries in key order. The map must not be changed during the
    /// iteration.
    func forEachEntry(_ body: (String, Scalar) -> Void) throws {
        try handle.forEach { key, scalar in
            body(String(decoding: key, as: UTF8.self), scalar)
            return true
        }
    }

    func decode<Value: RealmCollectionValue>(_ scalar: Scalar, forKey key: String) -> Value {
        Value._decode(scalar, source(of: _ValueSlot(.value(self, key: key))))
    }
}

extension Map: Equatable {
    /// Returns a Boolean value that indicates whether two maps are equal. Managed maps are equal if
    /// they are the same map, unmanaged maps if they have the same keys with equal values.
    public static func == (left: Map, right: Map) -> Bool {
        if left === right { return true }
        if let isSame = left.managed.isSame(as: right.managed) { return isSame }
        if Self.self == Map<String, AnyRealmValue>.self {
            return NestedEquality.areEqual(
                unsafeDowncast(left, to: Map<String, AnyRealmValue>.self),
                unsafeDowncast(right, to: Map<String, AnyRealmValue>.self))
        }
        return left.contents.count == right.contents.count
            && left.contents.allSatisfy { key, value in
                right.contents[key].map { isSameValue(value, $0) } ?? false
            }
    }
}
