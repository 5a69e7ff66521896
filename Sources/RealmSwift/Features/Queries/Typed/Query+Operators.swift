extension Query {
    @inline(__always)
    func comparison(
        _ operation: ComparisonSyntax.Operation, _ value: Any?, options: StringOptions = []
    ) -> Query<Bool> {
        Query<Bool>(
            .comparison(expression, operation, options, .value(queryValue(value))),
            depth: conditionDepth + 1)
    }

    func comparison<U>(
        _ operation: ComparisonSyntax.Operation, with other: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        if expression.standsForMany && other.expression.standsForMany {
            stop("Comparing two collection columns is not permitted.")
        }
        return Query<Bool>(
            .comparison(expression, operation, options, other.expression),
            depth: Swift.max(conditionDepth, other.conditionDepth) + 1)
    }
}

/// Returns the argument of a predicate for a value. Enums and custom types are replaced by their
/// stored values, unless these are objects; nil of any type gives nil.
func queryValue(_ value: Any?) -> Any? {
    guard let value = unwrapped(value) else { return nil }
    // As in `unwrapped`: checking a conformance costs more than everything else here.
    if type(of: value) == Int.self || type(of: value) == String.self { return value }
    guard let mapped = value as? any _MappedPersistable, !type(of: mapped)._isLink else {
        return value
    }
    return queryValue(mapped._persisted)
}

// MARK: Equality

extension Query {
    /// Returns a condition that the property equals a value. Nil equals only nil.
    public static func == (left: Query, right: T) -> Query<Bool> { left.comparison(.equal, right) }

    /// Returns a condition that two properties have the same value.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.equal, with: right)
    }

    /// Returns a condition that the property differs from a value. Nil differs from every value.
    public static func != (left: Query, right: T) -> Query<Bool> {
        left.comparison(.notEqual, right)
    }

    /// Returns a condition that two properties have different values.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.notEqual, with: right)
    }

    /// Returns a condition that the property has one of the given values.
    public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
        isIn(collection)
    }

    func isIn<U: Sequence>(_ collection: U) -> Query<Bool> {
        Query<Bool>(
            .comparison(expression, .isIn, [], .list(collection.map { queryValue($0) })),
            depth: conditionDepth + 1)
    }
}

// MARK: Order

extension Query where T: _HasPersistedType, T.PersistedType: _QueryOrdered {
    /// Returns a condition that the property is greater than a value. Nil is neither greater nor
    /// less.
    public static func > (left: Query, right: T) -> Query<Bool> {
        left.comparison(.greater, right)
    }

    /// Returns a condition that the property is greater than another one.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.greater, with: right)
    }

    /// Returns a condition that the property is greater than or equal to a value.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.comparison(.greaterOrEqual, right)
    }

    /// Returns a condition that the property is greater than or equal to another one.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.greaterOrEqual, with: right)
    }

    /// Returns a condition that the property is less than a value. Nil is neither greater nor less.
    public static func < (left: Query, right: T) -> Query<Bool> { left.comparison(.less, right) }

    /// Returns a condition that the property is less than another one.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.less, with: right)
    }

    /// Returns a condition that the property is less than or equal to a value.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.comparison(.lessOrEqual, right)
    }

    /// Returns a condition that the property is less than or equal to another one.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.lessOrEqual, with: right)
    }
}

// MARK: Ranges

extension Query {
    /// Returns a condition that the value is between two bounds, both inclusive. BETWEEN only
    /// supports properties, so the count of a subquery is compared twice.
    func isBetween(_ low: Any?, _ high: Any?) -> Query<Bool> {
        guard let path = expression.path else {
            return comparison(.greaterOrEqual, low) && comparison(.lessOrEqual, high)
        }
        return Query<Bool>(.between(path, queryValue(low), queryValue(high)), depth: 1)
    }

    func isFrom(_ low: Any?, upTo high: Any?) -> Query<Bool> {
        comparison(.greaterOrEqual, low) && comparison(.less, high)
    }
}

extension Query where T: Comparable {
    /// Returns a condition that the value is in the range.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        isFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Returns a condition that the value is in the range. Supported for numbers and dates.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        isBetween(range.lowerBound, range.upperBound)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Returns a condition that the value is not nil and is in the range.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        isFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Returns a condition that the value is not nil and is in the range. Supported for numbers and
    /// dates.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        isBetween(range.lowerBound, range.upperBound)
    }
}

// MARK: Conditions

extension Query where T == Bool {
    /// Returns a condition that is true for the objects for which `query` is false.
    public static prefix func ! (query: Query) -> Query<Bool> {
        Query<Bool>(.not(query.expression), depth: query.conditionDepth + 1)
    }

    /// Returns a condition that is true for the objects for which both conditions are true.
    public static func && (left: Query, right: Query) -> Query<Bool> {
        joining(left, .and, right: right)
    }

    /// Returns a condition that is true for the objects for which at least one condition is true.
    public static func || (left: Query, right: Query) -> Query<Bool> {
        joining(left, .or, right: right)
    }

    private static func joining(
        _ left: Query, _ junction: TypedExpression.Junction, right: Query
    ) -> Query<Bool> {
        var depth = Swift.max(left.conditionDepth, right.conditionDepth) + 1
        if case .compound(let part) = left.expression, part.junction == junction {
            depth = Swift.max(left.conditionDepth, right.conditionDepth + 1)
        }
        return Query<Bool>(
            .compound(CompoundExpression(left.expression, junction, right: right.expression)),
            depth: depth)
    }

    /// The number of objects in a collection for which the condition is true.
    ///
    /// ```swift
    /// realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.color == "tan").count > 1 }
    /// ```
    /// All parts of the condition must refer to objects of one collection, otherwise the program
    /// stops. In this example, the same dog must be older than three years and tan.
    public var count: Query<Int> {
        Query<Int>(.count(expression), depth: conditionDepth + 1)
    }
}
