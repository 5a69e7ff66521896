extension TypedExpression {
    /// The condition as a predicate. Its subqueries must be named.
    var predicate: PredicateSyntax {
        condition { left, operation, options, right in
            .comparison(
                ComparisonSyntax(
                    qualifier: Self.isAny(left, operation, right: right) ? .any : nil,
                    left: left.operand, operation: operation, options: options,
                    right: right.operand, position: 0))
        }
    }

    /// Returns whether a comparison is true if any value of an operand satisfies it. Membership in
    /// a collection refers to the collection as a whole.
    static func isAny(
        _ left: TypedExpression, _ operation: ComparisonSyntax.Operation, right: TypedExpression
    ) -> Bool {
        left.standsForMany || (right.standsForMany && operation != .isIn)
    }

    var standsForMany: Bool { path?.standsForMany ?? false }

    var operand: OperandSyntax {
        switch self {
        case .path(let path): return .keyPath(path.syntax)
        case .value(let value): return .value(value)
        case .list(let values): return .list(values)
        case .subquery(let collection, let variable, let condition):
            return .subquery(
                SubquerySyntax(
                    collection: collection.syntax, variable: variable,
                    predicate: condition.predicate, steps: [.operation("count")], position: 0))
        case .not, .compound, .comparison, .between, .count:
            preconditionFailure("The condition is no operand.")
        }
    }
}

extension TypedPath {
    var syntax: KeyPathSyntax { KeyPathSyntax(variable: variable, steps: steps, position: 0) }
}
