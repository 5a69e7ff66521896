/// Values that an object leads to: none, one, or several.
public indirect enum QueryExpression {
    /// A value as a mixed column stores it.
    case constant(OwnedScalar)
    /// A link to the object itself.
    case object
    /// Every value at the end of a path: none where a link on the way is null.
    case values(QueryPath)
    /// How many values are at the end of a path.
    case count(QueryPath)
    /// How many of the objects at the end of a path, whose end leads to objects, match a condition.
    case countMatching(QueryPath, QueryCondition)
    /// The same for a condition that refers to the object that has the path, or through that to
    /// others: asked for each object at the end of the path anew. Meanwhile `object` stands for the
    /// one that has the path, `element` for the one at its end.
    case countMatchingEach(
        QueryPath, QueryCondition, object: QueryVariable, element: QueryVariable)
    /// The values that the object leads to that a variable stands for.
    case bound(QueryVariable, QueryExpression)
    /// What is made of all values at the end of a path; those that are null are left out.
    case aggregate(QueryAggregate, QueryPath)
}

/// Stands for an object of a table while others are asked about, whose conditions refer to it.
///
/// Belongs to a condition, and is used by the thread of its plans.
public final class QueryVariable {
    let tableNumber: Int
    private var key: ObjectKey?

    /// - Parameter table: the number of the object's table.
    public init(table: Int) { tableNumber = table }

    /// Stands for an object while `body` runs.
    func binding<Result>(_ key: ObjectKey, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.key
        self.key = key
        defer { self.key = outer }
        return try body()
    }

    /// - Throws: `.invalidArgument` outside of an expression that gives the variable its object.
    func object(in table: Table) throws -> ObjectKey {
        guard let key else {
            throw table.pager.invalidArgument("A variable of a condition stands for no object.")
        }
        return key
    }
}

/// Sums are 0 without values, the others null. Means, and what is made of mixed values, are exact as
/// far as doubles or decimals are.
public enum QueryAggregate: String, Sendable {
    case minimum = "min", maximum = "max", sum, average = "avg"
}

/// How to get from an object to values.
public struct QueryPath: Sendable {
    /// A way to other objects. Columns are those of the table that the step before leads to.
    public enum Step: Sendable {
        /// The object that a to-one link leads to, or all objects of a list, set or map.
        case link(column: Int)
        /// All objects of a table whose column leads here, as often as it does.
        case referrers(table: Int, column: Int)
    }

    public enum End: Sendable {
        /// A property, or all elements of one that is a collection.
        case column(Int)
        /// The keys of a map.
        case keys(Int)
        /// The value of a map for a key; null without it.
        case entry(Int, key: [UInt8])
        /// What lies inside a mixed value. Without such a part, null where one was asked for,
        /// nothing where all were.
        case part(Int, [MixedStep])
        /// All objects of a table whose column leads here, as often as it does.
        case referrers(table: Int, column: Int)
    }

    /// A way into the lists and maps of a mixed value.
    public enum MixedStep: Hashable, Sendable {
        case key([UInt8])
        /// Negative ones count from the end.
        case index(Int)
        /// Every element, or every value.
        case any
    }

    public var steps: [Step]
    public var end: End

    public init(steps: [Step] = [], end: End) {
        self.steps = steps
        self.end = end
    }
}
