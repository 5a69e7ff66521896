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

    /// Whether the collection has a value among its elements.
    func hasElement(_ value: Any?) -> Query<Bool> {
        Query<Bool>(.comparison(.value(queryValue(value)), .isIn, [], expression))
    }

    /// Whether all elements lie between two values, both included.
    func areBetween(_ low: Any?, _ high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low)
            && greatest.comparison(.lessOrEqual, high)
    }

    /// Whether all elements lie between two values, the last one excluded.
    func areFrom(_ low: Any?, upTo high: Any?) -> Query<Bool> {
        let least: Query<Void> = applying("min")
        let greatest: Query<Void> = applying("max")
        return least.comparison(.greaterOrEqual, low) && greatest.comparison(.less, high)
    }
}

// MARK: Lists, sets and linking objects

extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { applying("count") }

    /// Whether the collection has this element.
    public func contains(_ value: T.Element) -> Query<Bool> { hasElement(value) }

    /// Whether the collection has any of these elements.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Element {
        isIn(collection)
    }

    /// Whether any element is equal to a value.
    public static func == (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.equal, right)
    }

    /// Whether any element differs from a value.
    public static func != (left: Query<T>, right: T.Element) -> Query<Bool> {
        left.comparison(.notEqual, right)
    }
}

extension Query where T: RealmCollection, T.Element: Comparable {
    /// Whether the least and the greatest element lie in the range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest element lie in the range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol,
    T.Element.Wrapped: Comparable
{
    /// Whether the least and the greatest element lie in the range. Nil elements do not count.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest element lie in the range. Nil elements do not count.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
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

    /// The least element.
    public var min: Query<T.Element> { applying("min") }
    /// The greatest element.
    public var max: Query<T.Element> { applying("max") }
    /// The mean of all elements.
    public var avg: Query<T.Element> { applying("avg") }
    /// The sum of all elements.
    public var sum: Query<T.Element> { applying("sum") }
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
