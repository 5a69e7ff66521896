import StorageEngine

/// The comparisons with constants that typed queries of a Realm instance have made, by class.
///
/// Used by the thread of the instance, so no lock is needed; classes of other instances, with other
/// columns, have comparisons of their own.
struct PreparedComparisons {
    private struct Key: Hashable {
        let managedClass: ObjectIdentifier
        let operation: ComparisonSyntax.Operation
        let options: StringOptions.RawValue
        let standsForMany: Bool
        let steps: [KeyPathSyntax.Step]
    }

    private var comparisons: [Key: PreparedComparison] = [:]
    // The one that was asked for last. Most programs ask again and again, and nothing is hashed.
    private var lastKey: Key?
    private var lastComparison: PreparedComparison?

    /// Programs write only so many; but subscripts of maps may come from data. When there are so
    /// many, all are forgotten.
    private static let maximumCount = 256

    /// - Throws: ``InvalidPredicate`` if the path, which begins with no variable, does not suit the
    ///   class, or the operator the path.
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
