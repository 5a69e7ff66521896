/// A condition on the objects of a table.
///
/// Columns are those of the table that the condition applies to. Inside `link` and `referrer`, that
/// is the table at the other end.
public indirect enum QueryCondition {
    case constant(Bool)
    case not(QueryCondition)
    case and([QueryCondition])
    case or([QueryCondition])
    /// A test of a property that is not a collection.
    case value(column: Int, ValueTest)
    /// The object that a to-one link leads to, or any object in a list, set or map of links,
    /// satisfies a condition. False if there is none.
    case link(column: Int, QueryCondition)
    /// Any object of another table whose `column` links to the object satisfies a condition.
    case referrer(table: Int, column: Int, QueryCondition)
    /// The object is one of these.
    case keys([ObjectKey])
    /// One of the values that an object leads to passes the test. `name` is used by
    /// ``QueryPlan/explain()``, here and below.
    ///
    /// The tests of this case and the next get the connection of the plan that runs them, to read
    /// lists and maps with. They must not keep another one: a condition can be used by several
    /// Realms, on several threads.
    case values(
        QueryExpression, name: String, (MixedValue, Connection) throws(StorageError) -> Bool)
    /// One pair of values from two groups that an object leads to passes the test.
    case pairs(
        QueryExpression, QueryExpression, name: String,
        (MixedValue, MixedValue, Connection) throws(StorageError) -> Bool)
    /// The object bound to a variable, instead of the object itself, satisfies a condition.
    case bound(QueryVariable, QueryCondition)
    /// An arbitrary test of one object of the table at a time, tested last. It must depend on the
    /// object's own properties only.
    case object(name: String, (Table, ObjectKey) throws(StorageError) -> Bool)

    /// The greatest depth of nested conditions. Deeper ones are refused, because they could
    /// overflow the stack. Predicates are far less deep: the parts of one AND or OR are one level,
    /// whatever their number.
    public static let maximumDepth = 1_000
}

/// A test of a value. Null and NaN are treated as in ``ColumnTest``, and values are ordered as in
/// `ValueOrder`.
public enum ValueTest {
    /// A comparison. Values of all types may be compared by order.
    case compare(Comparison, OwnedScalar)
    /// From the first value to the second, including the second if `includesLast`.
    case range(from: OwnedScalar, to: OwnedScalar, includesLast: Bool)
    /// Equal to one of these values, null included.
    case isIn([OwnedScalar])
    case hasPrefix([UInt8])
    case hasSuffix([UInt8])
    case contains([UInt8])
    /// An arbitrary test. `name` is used by ``QueryPlan/explain()``.
    case satisfies(name: String, (Scalar) -> Bool)
}

extension ValueTest {
    public static var isNull: ValueTest { .compare(.equal, .null) }
    public static var isNotNull: ValueTest { .compare(.notEqual, .null) }

    /// The same test, with values in the order in which ``matches(_:_:)`` searches them.
    func sorted(_ type: ValueType) -> ValueTest {
        guard case .isIn(let values) = self else { return self }
        let order = ValueOrder(type: type)
        return .isIn(
            values.sorted { left, right in
                left.withScalar { left in right.withScalar { order.compare(left, $0) < 0 } }
            })
    }

    /// Whether a value passes the test, for types that no column kernel handles. The test must be
    /// sorted.
    func matches(_ value: Scalar, _ type: ValueType) -> Bool {
        switch self {
        case .compare(let comparison, let other):
            return other.withScalar { Self.compare(value, comparison, to: $0, as: type) }
        case .range(let first, let last, let includesLast):
            return first.withScalar { Self.compare(value, .greaterOrEqual, to: $0, as: type) }
                && last.withScalar {
                    Self.compare(value, includesLast ? .lessOrEqual : .less, to: $0, as: type)
                }
        case .isIn(let values):
            let order = ValueOrder(type: type)
            let index = values.partitionPoint {
                $0.withScalar { order.compare($0, value) < 0 }
            }
            return index < values.count
                && values[index].withScalar { Self.compare(value, .equal, to: $0, as: type) }
        case .hasPrefix(let pattern): return Self.search(value, .prefix, for: pattern)
        case .hasSuffix(let pattern): return Self.search(value, .suffix, for: pattern)
        case .contains(let pattern): return Self.search(value, .contains, for: pattern)
        case .satisfies(_, let test): return test(value)
        }
    }

    private static func search(_ value: Scalar, _ test: BytesTest, for pattern: [UInt8]) -> Bool {
        guard case .bytes(let bytes) = value else { return false }
        return pattern.withUnsafeBytes { test.matches(bytes, $0) }
    }

    private static func compare(
        _ value: Scalar, _ comparison: Comparison, to other: Scalar, as type: ValueType
    ) -> Bool {
        if value.isNull || other.isNull {
            switch comparison {
            case .equal: return value.isNull && other.isNull
            case .notEqual: return value.isNull != other.isNull && other.isNull
            default: return false
            }
        }
        if value.isNaN || other.isNaN { return comparison == .notEqual }
        let order = ValueOrder(type: type).compare(value, other)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }
}

extension Scalar {
    fileprivate var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        default: false
        }
    }
}
