extension Query {
    /// The value that a collection operator makes of all values that the query stands for.
    func applying<U>(_ operation: String) -> Query<U> {
        guard let path = expression.path, path.standsForMany else {
            stop(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property")
        }
        return Query<U>(path.applying(operation))
    }

    /// Whether all elements lie between two values, both included.
    private func areBetween(_ low: Any?, _ high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low)
            && greatest.comparison(.lessOrEqual, high)
    }

    /// Whether all elements lie between two values, the last one excluded.
    private func areFrom(_ low: Any?, upTo high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low) && greatest.comparison(.less, high)
    }
}

// MARK: Collections and maps

extension Query where T: AggregatableCollection {
    /// The number of elements, or of keys.
    public var count: Query<Int> { applying("count") }

    /// Whether the collection has this element, or the map this value.
    public func contains(_ value: T.AggregatedValue) -> Query<Bool> {
        Query<Bool>(
            .comparison(.value(queryValue(value)), .isIn, [], expression),
            depth: conditionDepth + 1)
    }

    /// Whether the collection has any of these elements, or the map any of these values.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.AggregatedValue {
        isIn(collection)
    }
}

extension Query where T: AggregatableCollection, T.AggregatedValue: Comparable {
    /// Whether the least and the greatest element, or value, lie in the range.
    public func contains(_ range: Range<T.AggregatedValue>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest element, or value, lie in the range.
    public func contains(_ range: ClosedRange<T.AggregatedValue>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where
    T: AggregatableCollection, T.AggregatedValue: OptionalProtocol,
    T.AggregatedValue.Wrapped: Comparable
{
    /// Whether the least and the greatest element, or value, lie in the range. Nil does not count.
    public func contains(_ range: Range<T.AggregatedValue.Wrapped>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest element, or value, lie in the range. Nil does not count.
    public func contains(_ range: ClosedRange<T.AggregatedValue.Wrapped>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where T: AggregatableCollection, T.AggregatedValue.PersistedType: _QueryNumeric {
    /// The least element, or value.
    public var min: Query<T.AggregatedValue> { applying("min") }
    /// The greatest element, or value.
    public var max: Query<T.AggregatedValue> { applying("max") }
    /// The mean of all elements, or values.
    public var avg: Query<T.AggregatedValue> { applying("avg") }
    /// The sum of all elements, or values.
    public var sum: Query<T.AggregatedValue> { applying("sum") }
}

// MARK: Any element of a list, set or linking objects

extension Query where T: RealmCollection {
    /// Whether any element is equal to a value.
    public static func == (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.equal, right)
    }

    /// Whether any element differs from a value.
    public static func != (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.notEqual, right)
    }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    /// Whether any element is greater than a value.
    public static func > (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.greater, right)
    }

    /// Whether any element is as great as a value, or greater.
    public static func >= (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.greaterOrEqual, right)
    }

    /// Whether any element is smaller than a value.
    public static func < (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.less, right)
    }

    /// Whether any element is as small as a value, or smaller.
    public static func <= (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.lessOrEqual, right)
    }
}

// MARK: Properties of the objects in a collection

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The least value of the property among the objects of a collection.
    public var min: Query { applying("min") }
    /// The greatest value of the property among the objects of a collection.
    public var max: Query { applying("max") }
    /// The mean of the property over the objects of a collection.
    public var avg: Query { applying("avg") }
    /// The sum of the property over the objects of a collection.
    public var sum: Query { applying("sum") }
}
