extension TypedExpression {
    /// The condition as a predicate. Its subqueries must be named.
    var predicate: PredicateSyntax {
        switch self {
        case .path(let path): return Self.isTrue(path, true)
        case .not(.path(let path)) where !path.standsForMany: return Self.isTrue(path, false)
        case .not(let operand): return .not(operand.predicate)
        case .compound(let part):
            let operands = operands(of: part.junction).map(\.predicate)
            return part.junction == .and ? .and(operands) : .or(operands)
        case .comparison(let left, let operation, let options, let right):
            return Self.comparison(left, operation, options, right)
        case .between(let path, let low, let high):
            return Self.comparison(.path(path), .between, [], .list([low, high]))
        case .value, .list, .count, .subquery:
            preconditionFailure("The typed query is no condition.")
        }
    }

    private static func isTrue(_ path: TypedPath, _ value: Bool) -> PredicateSyntax {
        comparison(.path(path), .equal, [], .value(value))
    }

    private static func comparison(
        _ left: TypedExpression, _ operation: ComparisonSyntax.Operation,
        _ options: StringOptions, _ right: TypedExpression
    ) -> PredicateSyntax {
        .comparison(
            ComparisonSyntax(
                qualifier: isAny(left, operation, right) ? .any : nil, left: left.operand,
                operation: operation, options: options, right: right.operand, position: 0))
    }

    /// Returns whether a comparison is true if any value of an operand satisfies it. Membership in
    /// a collection refers to the collection as a whole.
    static func isAny(
        _ left: TypedExpression, _ operation: ComparisonSyntax.Operation, _ right: TypedExpression
    ) -> Bool {
        left.standsForMany || (right.standsForMany && operation != .isIn)
    }

    var standsForMany: Bool { path?.standsForMany ?? false }

    private var operand: OperandSyntax {
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
