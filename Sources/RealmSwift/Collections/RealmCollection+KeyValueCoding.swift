import Foundation

extension RealmCollection {
    /// The values of a property of all elements, as an array, those of a set as a `Set`; for the key
    /// `self` the elements themselves.
    ///
    /// Nil is `NSNull`. A property that does not exist stops the program. Of texts that differ in
    /// their bytes only, and that Swift holds equal, a `Set` has one.
    public func value(forKey key: String) -> Any? {
        if key == "invalidated" { return NSNumber(value: isInvalidated) }
        return _contents.anyValue(forKey: key)
    }

    /// The values at the end of a key path, or what a collection operator makes of them.
    ///
    /// ```swift
    /// people.value(forKeyPath: "employer.name")     // an array
    /// people.value(forKeyPath: "@avg.age")          // a number
    /// ```
    /// Operators: `@count`, and, followed by a property, `@min`, `@max`, `@sum`, `@avg`,
    /// `@unionOfObjects`, `@distinctUnionOfObjects`, `@unionOfArrays` and
    /// `@distinctUnionOfArrays`. Another one, or a longer path behind it, stops the program.
    public func value(forKeyPath keyPath: String) -> Any? {
        _contents.value(forKeyPath: keyPath)
    }

    /// Sets a property of all elements. A managed collection needs a write transaction.
    ///
    /// A property that does not exist, or a value that does not fit, stops the program.
    public func setValue(_ value: Any?, forKey key: String) {
        _contents.setValue(value, forKey: key)
    }
}

extension List {
    /// The values of a property of all elements; for the key `self` the elements themselves.
    public func value(forKey key: String) -> [AnyObject] {
        _contents.value(forKey: key).map { $0 as AnyObject }
    }

    /// The values at the end of a key path, or of a collection operator that gives an array.
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        guard let values = _contents.value(forKeyPath: keyPath) as? [Any] else {
            stop("The value at key path '\(keyPath)' of a List is not an array.")
        }
        return values.map { $0 as AnyObject }
    }
}

extension MutableSet {
    /// The distinct values of a property of all elements; for the key `self` the elements
    /// themselves.
    public func value(forKey key: String) -> [AnyObject] {
        _contents.distinctValues(forKey: key).map { $0 as AnyObject }
    }
}

extension KeyPathReadable where Self: RealmCollection {
    func anyValue(forKeyPath keyPath: String) -> Any? { value(forKeyPath: keyPath) }
}

extension List: KeyPathReadable {
    func anyValue(forKeyPath keyPath: String) -> Any? { _contents.value(forKeyPath: keyPath) }
}

extension MutableSet: KeyPathReadable {}
extension Results: KeyPathReadable {}
extension LinkingObjects: KeyPathReadable {}
extension AnyRealmCollection: KeyPathReadable {}
