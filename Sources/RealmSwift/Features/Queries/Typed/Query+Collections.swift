extension Query {
    /// Returns the result of a collection operator for all values of the query.
    func applying<U>(_ operation: String) -> Query<U> {
        guard let path = expression.path, path.standsForMany else {
            stop(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property")
        }
        return Query<U>(path.applying(operation))
    }

    /// Returns a condition that all elements are between two values, both inclusive.
    private func areBetween(_ low: Any?, _ high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low)
            && greatest.comparison(.lessOrEqual, high)
    }

    /// Returns a condition that all elements are between two values, the last one exclusive.
    private func areFrom(_ low: Any?, upTo high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low) && greatest.comparison(.less, high)
    }
}

// MARK: Collections and maps

extension Query where T: AggregatableCollection {
    /// The number of elements or keys.
    public var count: Query<Int> { applying("count") }

    /// Returns a condition that the collection contains an element, or the map a value.
    public func contains(_ value: T.AggregatedValue) -> Query<Bool> {
        Query<Bool>(
            .comparison(.value(queryValue(value)), .isIn, [], expression),
            depth: conditionDepth + 1)
    }

    /// Returns a condition that the collection contains any of the elements, or the map any of the
    /// values.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.AggregatedValue {
        isIn(collection)
    }
}

extension Query where T: AggregatableCollection, T.AggregatedValue: Comparable {
    /// Returns a condition that the minimum and the maximum of the elements or values are in the
    /// range.
    public func contains(_ range: Range<T.AggregatedValue>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Returns a condition that the minimum and the maximum of the elements or values are in the
    /// range.
    public func contains(_ range: ClosedRange<T.AggregatedValue>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where
    T: AggregatableCollection, T.AggregatedValue: OptionalProtocol,
    T.AggregatedValue.Wrapped: Comparable
{
    /// Returns a condition that the minimum and the maximum of the elements or values are in the
    /// range. Nil is ignored.
    public func contains(_ range: Range<T.AggregatedValue.Wrapped>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Returns a condition that the minimum and the maximum of the elements or values are in the
    /// range. Nil is ignored.
    public func contains(_ range: ClosedRange<T.AggregatedValue.Wrapped>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where T: AggregatableCollection, T.AggregatedValue.PersistedType: _QueryNumeric {
    /// The minimum of the elements or values.
    public var min: Query<T.AggregatedValue> { applying("min") }
    /// The maximum of the elements or values.
    public var max: Query<T.AggregatedValue> { applying("max") }
    /// The average of the elements or values.
    public var avg: Query<T.AggregatedValue> { applying("avg") }
    /// The sum of the elements or values.
    public var sum: Query<T.AggregatedValue> { applying("sum") }
}

// MARK: Any element of a list, set or linking objects

extension Query where T: RealmCollection {
    /// Returns a condition that any element equals a value.
    public static func == (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.equal, right)
    }

    /// Returns a condition that any element differs from a value.
    public static func != (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.notEqual, right)
    }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    /// Returns a condition that any element is greater than a value.
    public static func > (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.greater, right)
    }

    /// Returns a condition that any element is greater than or equal to a value.
    public static func >= (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.greaterOrEqual, right)
    }

    /// Returns a condition that any element is less than a value.
    public static func < (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.less, right)
    }

    /// Returns a condition that any element is less than or equal to a value.
    public static func <= (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.lessOrEqual, right)
    }
}

// MARK: Properties of the objects in a collection

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The minimum of the property among the objects of a collection.
    public var min: Query { applying("min") }
    /// The maximum of the property among the objects of a collection.
    public var max: Query { applying("max") }
    /// The average of the property over the objects of a collection.
    public var avg: Query { applying("avg") }
    /// The sum of the property over the objects of a collection.
    public var sum: Query { applying("sum") }
}
