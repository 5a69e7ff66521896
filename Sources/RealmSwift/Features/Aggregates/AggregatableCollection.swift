import Foundation

/// A collection whose values, or whose objects' properties, can be aggregated, and that can be
/// queried.
///
/// It is the common base of ``RealmCollection`` and ``RealmKeyedCollection``.
public protocol AggregatableCollection: Sequence, ThreadConfined, CustomStringConvertible {
    /// The type of the aggregated values. For a map, this is the type of its values.
    associatedtype AggregatedValue: RealmCollectionValue = Element

    /// Returns the minimum of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers, dates or mixed values.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the maximum of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers, dates or mixed values.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// Returns the sum of a property of all objects; 0 if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers or mixed values. The type of the result
    ///   can represent the sum.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// Returns the average of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers or mixed values.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType

    /// What has the elements.
    var _backing: _CollectionBacking { get }
    /// Returns the same collection in another Realm of the file. An unmanaged collection returns
    /// itself.
    func _moved(to realm: Realm) -> Self
    /// The current elements. For a map, these are its values.
    var _elements: [AggregatedValue] { get }
}

extension AggregatableCollection {
    /// Returns the minimum of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers, dates or mixed values.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.min, property, of: _contents)
    }

    /// Returns the maximum of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers, dates or mixed values.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.max, property, of: _contents)
    }

    /// Returns the sum of a property of all objects; 0 if there are no values. Nil values are
    /// ignored.
    ///
    /// Integers are added exactly. `Double` can represent every sum of integers, if only
    /// approximately.
    ///
    /// - Precondition: The property exists, and has numbers or mixed values. The type of the result
    ///   can represent the sum.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        summed(property, of: _contents)
    }

    /// Returns the average of a property of all objects; nil if there are no values. Nil values are
    /// ignored.
    ///
    /// - Precondition: The property exists, and has numbers or mixed values.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregated(.average, property, of: _contents)
    }
}

extension AggregatableCollection where AggregatedValue.PersistedType: MinMaxType {
    /// Returns the minimum; nil if there are no values. Nil values are ignored.
    public func min() -> AggregatedValue? { aggregated(.min, nil, of: _contents) }

    /// Returns the maximum; nil if there are no values. Nil values are ignored.
    public func max() -> AggregatedValue? { aggregated(.max, nil, of: _contents) }
}

extension AggregatableCollection where AggregatedValue.PersistedType: AddableType {
    /// Returns the sum of all values; 0 if there are none. Nil values are ignored.
    ///
    /// - Precondition: The type of the values can represent the sum.
    public func sum() -> AggregatedValue { summed(nil, of: _contents) }

    /// Returns the average of all values; nil if there are none. Nil values are ignored.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        aggregated(.average, nil, of: _contents)
    }
}

/// Runs an aggregate and converts the result to the type that the caller requests.
func aggregated<T: _ObjcBridgeable>(
    _ aggregate: Aggregate, _ property: String?, of contents: CollectionContents
) -> T? {
    aggregate.run(over: contents, property: property).map { converted($0) }
}

func summed<T: _ObjcBridgeable>(_ property: String?, of contents: CollectionContents) -> T {
    converted(Aggregate.sum.run(over: contents, property: property) ?? 0)
}

/// Converts a result. A fraction converted to an integer is truncated.
func converted<T: _ObjcBridgeable>(_ result: Any) -> T {
    if let value = T._rlmFromObjc(result, insideOptional: false) { return value }
    if let number = result as? Double, let whole = Int(exactly: number.rounded(.towardZero)),
        let value = T._rlmFromObjc(whole, insideOptional: false)
    {
        return value
    }
    stop("Could not convert value '\(result)' to type '\(T.self)'.")
}
