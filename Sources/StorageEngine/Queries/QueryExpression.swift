/// Values that an object leads to: none, one, or several.
public indirect enum QueryExpression {
    /// A value in the form in which a mixed column stores it.
    case constant(OwnedScalar)
    /// A link to the object itself.
    case object
    /// Every value at the end of a path; none if a link on it is null.
    case values(QueryPath)
    /// The number of values at the end of a path.
    case count(QueryPath)
    /// The number of objects at the end of a path that match a condition. The path must end in
    /// objects.
    case countMatching(QueryPath, QueryCondition)
    /// The same for a condition that refers to the object with the path, or through that to others.
    /// It is evaluated for each object at the end of the path. Meanwhile `object` is bound to the
    /// object with the path, and `element` to the one at its end.
    case countMatchingEach(
        QueryPath, QueryCondition, object: QueryVariable, element: QueryVariable)
    /// The values that the object bound to a variable leads to.
    case bound(QueryVariable, QueryExpression)
    /// An aggregate of all values at the end of a path, ignoring null.
    case aggregate(QueryAggregate, QueryPath)
}

/// A reference to an object of a table, used by conditions on other objects.
///
/// Belongs to a condition and is used by the thread of its plans.
public final class QueryVariable {
    let tableNumber: Int
    private var key: ObjectKey?

    /// - Parameter table: the number of the object's table.
    public init(table: Int) { tableNumber = table }

    /// Binds the variable to an object while `body` runs.
    func binding<Result, E>(
        _ key: ObjectKey, _ body: () throws(E) -> Result
    ) throws(E) -> Result {
        let outer = self.key
        self.key = key
        defer { self.key = outer }
        return try body()
    }

    /// The object that the variable is bound to.
    ///
    /// - Throws: `.invalidArgument` outside of an expression that binds the variable.
    func object(in table: Table) throws(StorageError) -> ObjectKey {
        guard let key else {
            throw table.pager.invalidArgument("A variable of a condition stands for no object.")
        }
        return key
    }
}

/// A function of several values. Without values, sums are 0 and the others null. Means, and
/// aggregates of mixed values, have the precision of doubles or decimals.
public enum QueryAggregate: String, Sendable {
    case minimum = "min", maximum = "max", sum, average = "avg"
}

/// A path from an object to values.
public struct QueryPath: Sendable {
    /// A step to other objects. Columns are those of the table that the previous step leads to.
    public enum Step: Sendable {
        /// The object that a to-one link leads to, or all objects in a list, set or map.
        case link(column: Int)
        /// All objects of a table whose column links to this object, once for each link.
        case referrers(table: Int, column: Int)
    }

    public enum End: Sendable {
        /// A property, or all elements of a property that is a collection.
        case column(Int)
        /// The keys of a map.
        case keys(Int)
        /// The value of a key in a map; null if the map does not contain the key.
        case entry(Int, key: [UInt8])
        /// A part of a mixed value. If there is none, null for a single part, and nothing for steps
        /// with `any`.
        case part(Int, [MixedStep])
        /// All objects of a table whose column links to this object, once for each link.
        case referrers(table: Int, column: Int)
    }

    /// A step into a list or map of a mixed value.
    public enum MixedStep: Hashable, Sendable {
        case key([UInt8])
        /// An index, which counts from the end if negative.
        case index(Int)
        /// Every element of a list or value of a map.
        case any
    }

    public var steps: [Step]
    public var end: End

    public init(steps: [Step] = [], end: End) {
        self.steps = steps
        self.end = end
    }
}
