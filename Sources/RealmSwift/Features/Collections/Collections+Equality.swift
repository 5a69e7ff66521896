// Equality with the names of Objective-C collections, in addition to `==`.

import StorageEngine

extension List {
    /// Returns a Boolean value that indicates whether `object` is a list of the same type that
    /// equals this list.
    public func isEqual(_ object: Any?) -> Bool { (object as? List).map { self == $0 } ?? false }

    /// The hash value of the list. Equal lists have equal hash values. The value of an unmanaged
    /// list changes with its elements.
    public var hash: Int {
        managed?.hash(kind: ListHandle.kindName) ?? contents.map { StoredIdentity($0) }.hashValue
    }
}

extension MutableSet {
    /// Returns a Boolean value that indicates whether `object` is a set of the same type that
    /// equals this set.
    public func isEqual(_ object: Any?) -> Bool {
        (object as? MutableSet).map { self == $0 } ?? false
    }

    /// The hash value of the set. Equal sets have equal hash values. The value of an unmanaged set
    /// changes with its elements.
    public var hash: Int { managed?.hash(kind: SetHandle.kindName) ?? members.hashValue }
}

extension Map {
    /// Returns a Boolean value that indicates whether `object` is a map of the same type that
    /// equals this map.
    public func isEqual(_ object: Any?) -> Bool { (object as? Map).map { self == $0 } ?? false }

    /// The hash value of the map. Equal maps have equal hash values. The value of an unmanaged map
    /// changes with the number of its keys.
    public var hash: Int { managed?.hash(kind: MapHandle.kindName) ?? count.hashValue }
}

extension ManagedPlace {
    /// Returns a hash value that is equal for instances of the same collection.
    func hash(kind: String) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(ObjectIdentifier(owner))
        hasher.combine(key)
        hasher.combine(column)
        return hasher.finalize()
    }
}
