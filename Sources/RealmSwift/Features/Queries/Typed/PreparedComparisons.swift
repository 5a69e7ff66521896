import StorageEngine

/// The prepared comparisons with constants in typed queries of a Realm instance, by class.
///
/// It is used only on the thread of the instance, so it needs no lock. Classes of other instances
/// can have other columns, so they have their own comparisons.
struct PreparedComparisons {
    private struct Key: Hashable {
        let managedClass: ObjectIdentifier
        let operation: ComparisonSyntax.Operation
        let options: StringOptions.RawValue
        let standsForMany: Bool
        let steps: [KeyPathSyntax.Step]
    }

    private var comparisons: [Key: PreparedComparison] = [:]
    // The last lookup, because most programs repeat it. A repeated lookup needs no hashing.
    private var lastKey: Key?
    private var lastComparison: PreparedComparison?

    /// The number of comparisons at which all are discarded. The comparisons written in a program
    /// are limited, but keys of map subscripts can come from data.
    private static let maximumCount = 256

    /// Returns the prepared comparison of a path, which begins with no variable, with a constant.
    ///
    /// - Throws: ``InvalidPredicate`` if the path does not fit the class, or the operator does not
    ///   fit the path.
    mutating func comparison(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, _ options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        let key = Key(
            managedClass: ObjectIdentifier(managedClass), operation: operation,
            options: options.rawValue, standsForMany: path.standsForMany, steps: path.steps)
        if key == lastKey, let lastComparison { return lastComparison }
        let comparison: PreparedComparison
        if let known = comparisons[key] {
            comparison = known
        } else {
            comparison = try Self.prepare(path, operation, options, managedClass)
            if comparisons.count >= Self.maximumCount { comparisons.removeAll() }
            comparisons[key] = comparison
        }
        lastKey = key
        lastComparison = comparison
        return comparison
    }

    private static func prepare(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, _ options: StringOptions,
        _ managedClass: ManagedClass
    ) throws -> PreparedComparison {
        let syntax = ComparisonSyntax(
            qualifier: path.standsForMany ? .any : nil, left: .keyPath(path.syntax),
            operation: operation, options: options, right: .value(nil), position: 0)
        let resolver = PredicateResolver(managedClass: managedClass, format: "")
        return PreparedComparison(try ConstantResolution(resolver, syntax, path.syntax))
    }
}
