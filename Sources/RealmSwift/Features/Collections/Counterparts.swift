extension ObjectBase {
    /// Returns the same object in another Realm of the file; nil if it does not exist there.
    public final func _counterpart(in realm: Realm) -> Self? {
        guard let managedClass = _managedClass else { return nil }
        let other = realm.instance.counterpart(of: managedClass)
        guard other.isAlive(key: _key, birth: realm.instance.generation) else { return nil }
        // Safe because the class of an accessor is that of its managed class.
        return unsafeDowncast(other.makeAccessor(key: _key), to: Self.self)
    }
}

extension AggregatableCollection {
    /// Returns the same collection in another Realm of the file; nil if it does not exist there.
    public func _counterpart(in realm: Realm) -> Self? {
        let moved = _moved(to: realm)
        return moved.isInvalidated ? nil : moved
    }
}
