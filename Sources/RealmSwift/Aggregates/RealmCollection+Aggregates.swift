import Foundation

extension RealmCollection {
    /// The least value of a property of all objects; nil without values.
    ///
    /// A property that does not exist, or is neither a number nor a date, stops the program; so do
    /// the maximum, the sum and the mean, which dates do not have.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.min, property, of: _contents)
    }

    /// The greatest value of a property of all objects; nil without values.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.max, property, of: _contents)
    }

    /// The sum of a property of all objects; 0 without values. Nil values are left out.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        summed(property, of: _contents)
    }

    /// The mean of a property of all objects that have a value; nil without values.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregated(.average, property, of: _contents)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The least value of a property of all objects; nil without values.
    ///
    /// ```swift
    /// let youngest = realm.objects(Dog.self).min(of: \.age)
    /// ```
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }

    /// The greatest value of a property of all objects; nil without values.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }

    /// The sum of a property of all objects; 0 without values. Nil values are left out.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }

    /// The mean of a property of all objects that have a value; nil without values.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
    /// The least element; nil if there is none, or all are nil.
    public func min() -> Element? { aggregated(.min, nil, of: _contents) }

    /// The greatest element; nil if there is none, or all are nil.
    public func max() -> Element? { aggregated(.max, nil, of: _contents) }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// The sum of all elements; 0 if there is none. Nil elements are left out.
    public func sum() -> Element { summed(nil, of: _contents) }

    /// The mean of all elements that are not nil; nil if there is none.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        aggregated(.average, nil, of: _contents)
    }
}

/// Runs an aggregate and converts the result to the type that the caller wants.
func aggregated<T: _ObjcBridgeable>(
    _ aggregate: Aggregate, _ property: String?, of contents: _CollectionContents
) -> T? {
    aggregate.run(over: contents, property: property).map { converted($0) }
}

func summed<T: _ObjcBridgeable>(_ property: String?, of contents: _CollectionContents) -> T {
    converted(Aggregate.sum.run(over: contents, property: property) ?? 0)
}

/// A fraction that is to be an integer loses what is behind the point.
private func converted<T: _ObjcBridgeable>(_ result: Any) -> T {
    if let value = T._rlmFromObjc(result, insideOptional: false) { return value }
    if let number = result as? Double, let whole = Int(exactly: number.rounded(.towardZero)),
        let value = T._rlmFromObjc(whole, insideOptional: false)
    {
        return value
    }
    stop("Could not convert value '\(result)' to type '\(T.self)'.")
}
