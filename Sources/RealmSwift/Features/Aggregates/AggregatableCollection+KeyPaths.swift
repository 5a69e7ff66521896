extension RealmCollection where Element: ObjectBase {
    /// Returns the minimum of a property of all objects; nil if there are no values.
    ///
    /// ```swift
    /// let youngest = realm.objects(Dog.self).min(of: \.age)
    /// ```
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }

    /// Returns the maximum of a property of all objects; nil if there are no values.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }

    /// Returns the sum of a property of all objects; 0 if there are no values. Nil values are
    /// ignored.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }

    /// Returns the average of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Returns the minimum of a property of all objects; nil if there are no values.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }

    /// Returns the maximum of a property of all objects; nil if there are no values.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }

    /// Returns the sum of a property of all objects; 0 if there are no values. Nil values are
    /// ignored.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }

    /// Returns the average of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }
}
