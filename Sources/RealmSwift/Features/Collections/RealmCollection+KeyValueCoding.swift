import Foundation

extension RealmCollection {
    /// Returns the values of a property of all elements, as an array, or for a set as a `Set`. The
    /// key `self` returns the elements themselves.
    ///
    /// A nil value is returned as `NSNull`. Strings that are equal in Swift but differ in their
    /// bytes occur only once in a `Set`.
    ///
    /// - Precondition: The property exists.
    public func value(forKey key: String) -> Any? {
        if key == "invalidated" { return NSNumber(value: isInvalidated) }
        return _contents.anyValue(forKey: key)
    }

    /// Returns the values at a key path, or the result of a collection operator.
    ///
    /// ```swift
    /// people.value(forKeyPath: "employer.name")     // an array
    /// people.value(forKeyPath: "@avg.age")          // a number
    /// ```
    /// The operators are `@count` and, followed by a property, `@min`, `@max`, `@sum`, `@avg`,
    /// `@unionOfObjects`, `@distinctUnionOfObjects`, `@unionOfArrays` and `@distinctUnionOfArrays`.
    ///
    /// - Precondition: The properties exist. An operator is one of these, followed by a single
    ///   property.
    public func value(forKeyPath keyPath: String) -> Any? {
        _contents.value(forKeyPath: keyPath)
    }

    /// Sets a property of all elements.
    ///
    /// - Precondition: The property exists, and the value fits it. A managed collection is changed
    ///   in a write transaction.
    public func setValue(_ value: Any?, forKey key: String) {
        _contents.setValue(value, forKey: key)
    }
}

extension List {
    /// Returns the values of a property of all elements. The key `self` returns the elements
    /// themselves.
    ///
    /// - Precondition: The property exists.
    public func value(forKey key: String) -> [AnyObject] {
        _contents.value(forKey: key).map { $0 as AnyObject }
    }

    /// Returns the values at a key path, or the result of a collection operator that returns an
    /// array.
    ///
    /// - Precondition: The result is an array.
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        guard let values = _contents.value(forKeyPath: keyPath) as? [Any] else {
            stop("The value at key path '\(keyPath)' of a List is not an array.")
        }
        return values.map { $0 as AnyObject }
    }
}

extension MutableSet {
    /// Returns the distinct values of a property of all elements. The key `self` returns the
    /// elements themselves.
    ///
    /// - Precondition: The property exists.
    public func value(forKey key: String) -> [AnyObject] {
        _contents.distinctValues(forKey: key).map { $0 as AnyObject }
    }
}

extension KeyPathReadable where Self: RealmCollection {
    func anyValue(forKeyPath keyPath: String) -> Any? { _contents.value(forKeyPath: keyPath) }
}

extension List: KeyPathReadable {}
extension MutableSet: KeyPathReadable {}
extension Results: KeyPathReadable {}
extension LinkingObjects: KeyPathReadable {}
extension AnyRealmCollection: KeyPathReadable {}
