import Foundation

/// What ``RealmCollection`` and ``RealmKeyedCollection`` have in common: aggregates of their
/// values, and of the properties of their objects; that they can be queried.
public protocol AggregatableCollection: Sequence {
    /// The type of the values that are aggregated: of a map, that of the values without the keys.
    associatedtype AggregatedValue: RealmCollectionValue = Element

    /// The least value of a property of all objects; nil without values.
    ///
    /// A property that does not exist, or is neither a number nor a date, stops the program; so do
    /// the maximum, the sum and the mean, which dates do not have.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// The greatest value of a property of all objects; nil without values.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// The sum of a property of all objects; 0 without values. Nil values are left out.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// The mean of a property of all objects that have a value; nil without values.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType

    /// How the values can be read one after the other.
    var _contents: _CollectionContents { get }
    /// What a query of the values starts from.
    var _querySource: _QuerySource { get }
}

extension AggregatableCollection {
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

    /// The sum of a property of all objects; 0 without values. Nil values are left out. Integers are
    /// added exactly; a sum that the type of the result cannot hold stops the program, `Double` holds
    /// all.
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

extension AggregatableCollection where AggregatedValue.PersistedType: MinMaxType {
    /// The least value; nil if there is none, or all are nil.
    public func min() -> AggregatedValue? { aggregated(.min, nil, of: _contents) }

    /// The greatest value; nil if there is none, or all are nil.
    public func max() -> AggregatedValue? { aggregated(.max, nil, of: _contents) }
}

extension AggregatableCollection where AggregatedValue.PersistedType: AddableType {
    /// The sum of all values; 0 if there is none. Nil values are left out. A sum that the type of
    /// the values cannot hold stops the program.
    public func sum() -> AggregatedValue { summed(nil, of: _contents) }

    /// The mean of all values that are not nil; nil if there is none.
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
