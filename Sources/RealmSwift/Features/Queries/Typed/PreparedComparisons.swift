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

    private var comparisons = PreparedCache<Key, PreparedComparison>()

    /// Returns the prepared comparison of a path, which begins with no variable, with a constant.
    ///
    /// - Throws: ``InvalidPredicate`` if the path does not fit the class, or the operator does not
    ///   fit the path.
    mutating func comparison(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        let key = Key(
            managedClass: ObjectIdentifier(managedClass), operation: operation,
            options: options.rawValue, standsForMany: path.standsForMany, steps: path.steps)
        return try comparisons.value(for: key) {
            try Self.prepare(path, operation, options: options, in: managedClass)
        }
    }

    private static func prepare(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        let syntax = ComparisonSyntax(
            qualifier: path.standsForMany ? .any : nil, left: .keyPath(path.syntax),
            operation: operation, options: options, right: .value(nil), position: 0)
        let resolver = PredicateResolver(managedClass: managedClass, format: "")
        return PreparedComparison(try ConstantResolution(resolver, syntax, of: path.syntax))
    }
}
