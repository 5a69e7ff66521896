import StorageEngine

// The fast path from a typed query to a condition. It needs no predicate syntax, and reuses
// resolved names.

extension TypedExpression {
    /// Whether the condition consists of comparisons of paths with constants, as required by
    /// ``ManagedClass/condition(_:)``.
    var comparesWithConstantsOnly: Bool {
        var rest = self
        while true {
            switch rest {
            case .path, .between, .comparison(.path, _, _, .value), .comparison(.path, _, _, .list):
                return true
            case .not(let operand): rest = operand
            case .compound(let part):
                // Long chains are nested only on the left side.
                if !part.right.comparesWithConstantsOnly { return false }
                rest = part.left
            case .value, .list, .comparison, .count, .subquery: return false
            }
        }
    }
}

extension ManagedClass {
    /// Returns the same condition as the expression's predicate. Called on the thread of the Realm.
    ///
    /// - Throws: ``InvalidPredicate`` if the expression is not valid for the class.
    func condition(_ expression: TypedExpression) throws -> QueryCondition {
        switch expression {
        case .path(let path): return try comparison(path, .equal, [], .value(true))
        case .not(.path(let path)) where !path.standsForMany:
            return try comparison(path, .equal, [], .value(false))
        case .not(let operand): return .not(try condition(operand))
        case .compound(let part):
            let operands = try expression.operands(of: part.junction).map(condition)
            return part.junction == .and ? .and(operands) : .or(operands)
        case .comparison(.path(let path), let operation, let options, .value(let value)):
            return try comparison(path, operation, options, .value(value))
        case .comparison(.path(let path), let operation, let options, .list(let values)):
            return try comparison(path, operation, options, .list(values))
        case .between(let path, let low, let high):
            return try comparison(path, .between, [], .list([low, high]))
        case .value, .list, .comparison, .count, .subquery:
            preconditionFailure("Not only paths are compared with constants.")
        }
    }

    private func comparison(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, _ options: StringOptions,
        _ constant: OperandSyntax
    ) throws -> QueryCondition {
        try realm.preparedComparison(path, operation, options, in: self).condition(constant)
    }
}
