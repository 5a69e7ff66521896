/// What objects of a table are to satisfy.
///
/// Columns are those of the table at hand: inside of `link` and `referrer` of the one that is led
/// to.
public indirect enum QueryCondition {
    case constant(Bool)
    case not(QueryCondition)
    case and([QueryCondition])
    case or([QueryCondition])
    /// The property itself, which is no collection.
    case value(column: Int, ValueTest)
    /// The object that a to-one link leads to, or any of those in a list, set or map of links; false
    /// without one.
    case link(column: Int, QueryCondition)
    /// Any of the objects of another table whose `column` leads here.
    case referrer(table: Int, column: Int, QueryCondition)
    /// One of these objects.
    case keys([ObjectKey])
    /// Of the values that an object leads to, one passes the test. `name` is for
    /// ``QueryPlan/explain()``, here and below.
    case values(QueryExpression, name: String, (MixedValue) throws -> Bool)
    /// Of two groups of values that an object leads to, one pair passes the test.
    case pairs(
        QueryExpression, QueryExpression, name: String, (MixedValue, MixedValue) throws -> Bool)
    /// The object that a variable stands for, and not the one at hand, satisfies a condition.
    case bound(QueryVariable, QueryCondition)
    /// What only its maker can tell, object by object. Tried last.
    case object(name: String, (ObjectKey) throws -> Bool)

    /// Conditions that lie inside each other deeper are refused: they would take the stack. Much
    /// more than a predicate has; parts of one AND or OR are one level, however many there are.
    public static let maximumDepth = 1_000
}

/// What a value is tested for. Null, NaN and the order of values are as in ``ColumnTest`` and
/// ``ValueOrder``.
public enum ValueTest {
    /// Also of strings, data, UUIDs, object ids, decimals and mixed values in their order.
    case compare(Comparison, OwnedScalar)
    /// From the first to the second, both included, or up to the second.
    case range(from: OwnedScalar, to: OwnedScalar, includesLast: Bool)
    /// Equal to one of these, null included.
    case isIn([OwnedScalar])
    case hasPrefix([UInt8])
    case hasSuffix([UInt8])
    case contains([UInt8])
    /// What only its maker can tell. `name` is for ``QueryPlan/explain()``.
    case satisfies(name: String, (Scalar) -> Bool)
}

extension ValueTest {
    public static var isNull: ValueTest { .compare(.equal, .null) }
    public static var isNotNull: ValueTest { .compare(.notEqual, .null) }

    /// The same with values in the order in which ``matches(_:_:)`` searches them.
    func sorted(_ type: ValueType) -> ValueTest {
        guard case .isIn(let values) = self else { return self }
        let order = ValueOrder(type: type)
        return .isIn(
            values.sorted { left, right in
                left.withScalar { left in right.withScalar { order.compare(left, $0) < 0 } }
            })
    }

    /// The test of one value of a type, for values that no column kernel is made for. The test has
    /// been sorted.
    func matches(_ value: Scalar, _ type: ValueType) -> Bool {
        switch self {
        case .compare(let comparison, let other):
            return other.withScalar { Self.compare(value, comparison, $0, type) }
        case .range(let first, let last, let includesLast):
            return first.withScalar { Self.compare(value, .greaterOrEqual, $0, type) }
                && last.withScalar {
                    Self.compare(value, includesLast ? .lessOrEqual : .less, $0, type)
                }
        case .isIn(let values):
            let order = ValueOrder(type: type)
            let index = values.partitionPoint {
                $0.withScalar { order.compare($0, value) < 0 }
            }
            return index < values.count
                && values[index].withScalar { Self.compare(value, .equal, $0, type) }
        case .hasPrefix(let pattern): return Self.search(value, .prefix, pattern)
        case .hasSuffix(let pattern): return Self.search(value, .suffix, pattern)
        case .contains(let pattern): return Self.search(value, .contains, pattern)
        case .satisfies(_, let test): return test(value)
        }
    }

    private static func search(_ value: Scalar, _ test: BytesTest, _ pattern: [UInt8]) -> Bool {
        guard case .bytes(let bytes) = value else { return false }
        return pattern.withUnsafeBytes { test.matches(bytes, $0) }
    }

    private static func compare(
        _ value: Scalar, _ comparison: Comparison, _ other: Scalar, _ type: ValueType
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
