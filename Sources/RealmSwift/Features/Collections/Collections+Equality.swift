// Equality with the names of Objective-C collections, in addition to `==`.

import StorageEngine

extension _PersistableCollection where Self: Equatable {
    /// Returns a Boolean value that indicates whether `object` is a collection of the same type
    /// that equals this one.
    public func isEqual(_ object: Any?) -> Bool { (object as? Self).map { self == $0 } ?? false }
}

extension List {
    /// The hash value of the list. Equal lists have equal hash values. The value of an unmanaged
    /// list changes with its elements.
    public var hash: Int {
        managed?.identityHash ?? contents.map { StoredIdentity($0) }.hashValue
    }
}

extension MutableSet {
    /// The hash value of the set. Equal sets have equal hash values. The value of an unmanaged set
    /// changes with its elements.
    public var hash: Int { managed?.identityHash ?? members.hashValue }
}

extension Map {
    /// The hash value of the map. Equal maps have equal hash values. The value of an unmanaged map
    /// changes with the number of its keys.
    public var hash: Int { managed?.identityHash ?? count.hashValue }
}

extension ManagedCollection {
    /// A hash value that is equal for instances of the same collection.
    fileprivate var identityHash: Int {
        var hasher = Hasher()
        hasher.combine(kindName)
        hasher.combine(ObjectIdentifier(owner))
        hasher.combine(key)
        hasher.combine(column)
        return hasher.finalize()
    }
}
