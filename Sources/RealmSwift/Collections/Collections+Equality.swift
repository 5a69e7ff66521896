// Equality as Objective-C's collections have it, beside `==`.

import StorageEngine

extension List {
    /// What `==` says of this list and another one of its type; false for anything else.
    public func isEqual(_ object: Any?) -> Bool { (object as? List).map { self == $0 } ?? false }

    /// Equal for equal lists. That of an unmanaged list changes with its elements.
    public var hash: Int {
        managed?.hash(kind: ListHandle.kindName) ?? contents.map { StoredIdentity($0) }.hashValue
    }
}

extension MutableSet {
    /// What `==` says of this set and another one of its type; false for anything else.
    public func isEqual(_ object: Any?) -> Bool {
        (object as? MutableSet).map { self == $0 } ?? false
    }

    /// Equal for equal sets. That of an unmanaged set changes with its elements.
    public var hash: Int { managed?.hash(kind: SetHandle.kindName) ?? members.hashValue }
}

extension Map {
    /// What `==` says of this map and another one of its type; false for anything else.
    public func isEqual(_ object: Any?) -> Bool { (object as? Map).map { self == $0 } ?? false }

    /// Equal for equal maps. That of an unmanaged map changes with its keys.
    public var hash: Int { managed?.hash(kind: MapHandle.kindName) ?? count.hashValue }
}

extension ManagedPlace {
    /// Of collections that are the same the same.
    func hash(kind: String) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(ObjectIdentifier(owner))
        hasher.combine(key)
        hasher.combine(column)
        return hasher.finalize()
    }
}
