import StorageEngine

/// The objects of a collection that have one value of a property: how many there are, and
/// aggregates of their other properties.
///
/// ```swift
/// for group in realm.objects(Dog.self).grouped(by: \.breed, aggregating: \.age, \.weight) {
///     print(group.key, group.count, group.average(of: \.age) ?? 0, group.sum(of: \.weight))
/// }
/// ```
/// A group is a value: it does not follow changes, and any thread can use it. It is made by
/// ``RealmCollection/grouped(by:aggregating:)``.
public struct ObjectGroup<Key, Element: ObjectBase> {
    /// The value of the property.
    public let key: Key
    /// The number of objects.
    public let count: Int
    private let values: ValueGroup
    private let properties: AggregatedProperties

    init(key: Key, _ values: ValueGroup, of properties: AggregatedProperties) {
        self.key = key
        count = values.count
        self.values = values
        self.properties = properties
    }

    /// Returns the minimum of a property of the objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The groups were made with this property.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }

    /// Returns the maximum of a property of the objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The groups were made with this property.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }

    /// Returns the sum of a property of the objects; 0 if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The groups were made with this property. Its type can represent the sum.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }

    /// Returns the average of a property of the objects; nil if there are no values. Nil values are
    /// ignored. That of an integer property is truncated; ``average(ofProperty:)`` also returns a
    /// `Double`.
    ///
    /// - Precondition: The groups were made with this property.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }

    /// Returns the minimum of a property with this name; nil if there are no values.
    ///
    /// - Precondition: The groups were made with this property.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        result(of: .min, property).map { converted($0) }
    }

    /// Returns the maximum of a property with this name; nil if there are no values.
    ///
    /// - Precondition: The groups were made with this property.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        result(of: .max, property).map { converted($0) }
    }

    /// Returns the sum of a property with this name; 0 if there are no values. `Double` can
    /// represent every sum of integers, if only approximately.
    ///
    /// - Precondition: The groups were made with this property, which has numbers. The type of the
    ///   result can represent the sum.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        converted(result(of: .sum, property) ?? 0)
    }

    /// Returns the average of a property with this name; nil if there are no values.
    ///
    /// - Precondition: The groups were made with this property, which has numbers.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        result(of: .average, property).map { converted($0) }
    }

    private func result(of aggregate: Aggregate, _ name: String) -> Any? {
        let position = properties.position(of: name)
        let type = properties.types[position]
        aggregate.requireSupported(type) {
            "\(type.name) property '\(properties.className).\(name)'"
        }
        return aggregate.result(of: values.summary(at: position), type: type)
    }
}

extension ObjectGroup: Sendable where Key: Sendable {}

/// The properties that groups were made with.
final class AggregatedProperties: Sendable {
    let className: String
    private let names: [String]
    let types: [ValueType]

    init(className: String, names: [String], types: [ValueType]) {
        self.className = className
        self.names = names
        self.types = types
    }

    /// Returns the position of a property. Stops the program if the groups were made without it.
    func position(of name: String) -> Int {
        guard let position = names.firstIndex(of: name) else {
            stop(
                "The groups have no aggregates of '\(className).\(name)'. Name the property in "
                    + "the argument 'aggregating' of 'grouped'.")
        }
        return position
    }
}
