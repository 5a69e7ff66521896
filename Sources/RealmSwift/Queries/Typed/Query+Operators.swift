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

/// What a predicate is given for a value: enums and custom types as what is stored of them, unless
/// that is an object; nil for nil of any type.
func queryValue(_ value: Any?) -> Any? {
    guard let value = unwrapped(value) else { return nil }
    // As in `unwrapped`: asking whether a type conforms takes longer than all else.
    if type(of: value) == Int.self || type(of: value) == String.self { return value }
    guard let mapped = value as? any _MappedPersistable, !type(of: mapped)._isLink else {
        return value
    }
    return queryValue(mapped._persisted)
}

// MARK: Equality

extension Query {
    /// Whether the property has a value. Nil equals nil only.
    public static func == (left: Query, right: T) -> Query<Bool> { left.comparison(.equal, right) }

    /// Whether two properties have the same value.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.equal, with: right)
    }

    /// Whether the property has another value. Nil differs from every value.
    public static func != (left: Query, right: T) -> Query<Bool> {
        left.comparison(.notEqual, right)
    }

    /// Whether two properties have different values.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.notEqual, with: right)
    }

    /// Whether the property has one of some values.
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
    /// Whether the property has a greater value. Nil is neither greater nor less.
    public static func > (left: Query, right: T) -> Query<Bool> {
        left.comparison(.greater, right)
    }

    /// Whether the property has a greater value than another one.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.greater, with: right)
    }

    /// Whether the property has a value that is as great or greater.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.comparison(.greaterOrEqual, right)
    }

    /// Whether the property has a value that is as great as that of another one, or greater.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.greaterOrEqual, with: right)
    }

    /// Whether the property has a smaller value. Nil is neither greater nor less.
    public static func < (left: Query, right: T) -> Query<Bool> { left.comparison(.less, right) }

    /// Whether the property has a smaller value than another one.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.less, with: right)
    }

    /// Whether the property has a value that is as small or smaller.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.comparison(.lessOrEqual, right)
    }

    /// Whether the property has a value that is as small as that of another one, or smaller.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.comparison(.lessOrEqual, with: right)
    }
}

// MARK: Ranges

extension Query {
    /// BETWEEN compares properties; the count of a subquery is compared twice.
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
    /// Whether the value lies in the range.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        isFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the value lies in the range. For numbers and dates.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        isBetween(range.lowerBound, range.upperBound)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Whether there is a value, and it lies in the range.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        isFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether there is a value, and it lies in the range. For numbers and dates.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        isBetween(range.lowerBound, range.upperBound)
    }
}

// MARK: Conditions

extension Query where T == Bool {
    /// The objects for which the condition is false.
    public static prefix func ! (query: Query) -> Query<Bool> {
        Query<Bool>(.not(query.expression), depth: query.conditionDepth + 1)
    }

    /// The objects for which both conditions are true.
    public static func && (left: Query, right: Query) -> Query<Bool> {
        joining(left, .and, right)
    }

    /// The objects for which one of the conditions, or both, are true.
    public static func || (left: Query, right: Query) -> Query<Bool> {
        joining(left, .or, right)
    }

    private static func joining(
        _ left: Query, _ junction: TypedExpression.Junction, _ right: Query
    ) -> Query<Bool> {
        var depth = Swift.max(left.conditionDepth, right.conditionDepth) + 1
        if case .compound(let part) = left.expression, part.junction == junction {
            depth = Swift.max(left.conditionDepth, right.conditionDepth + 1)
        }
        return Query<Bool>(
            .compound(CompoundExpression(left.expression, junction, right.expression)),
            depth: depth)
    }

    /// Of how many objects in a collection the condition is true.
    ///
    /// ```swift
    /// realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.color == "tan").count > 1 }
    /// ```
    /// All parts of the condition are about objects of one collection; here each dog is to be both
    /// older than three years and tan. Anything else stops the program.
    public var count: Query<Int> {
        Query<Int>(.count(expression), depth: conditionDepth + 1)
    }
}
