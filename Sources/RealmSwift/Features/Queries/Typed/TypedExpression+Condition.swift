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

/// A condition that consists of comparisons: a predicate, or a condition of the engine.
protocol ConditionForm {
    static func not(_ operand: Self) -> Self
    static func and(_ operands: [Self]) -> Self
    static func or(_ operands: [Self]) -> Self
}

extension PredicateSyntax: ConditionForm {}
extension QueryCondition: ConditionForm {}

extension TypedExpression {
    /// Returns the condition in another form.
    ///
    /// - Parameter comparison: A function that returns a comparison of two operands in that form.
    func condition<Form: ConditionForm>(
        _ comparison: (
            TypedExpression, ComparisonSyntax.Operation, StringOptions, TypedExpression
        ) throws -> Form
    ) rethrows -> Form {
        switch self {
        case .path: return try comparison(self, .equal, [], .value(true))
        case .not(let operand):
            if let path = operand.path, !path.standsForMany {
                return try comparison(operand, .equal, [], .value(false))
            }
            return .not(try operand.condition(comparison))
        case .compound(let part):
            let operands = try operands(of: part.junction).map { try $0.condition(comparison) }
            return part.junction == .and ? .and(operands) : .or(operands)
        case .comparison(let left, let operation, let options, let right):
            return try comparison(left, operation, options, right)
        case .between(let path, let low, let high):
            return try comparison(.path(path), .between, [], .list([low, high]))
        case .value, .list, .count, .subquery:
            preconditionFailure("The typed query is no condition.")
        }
    }
}

extension ManagedClass {
    /// Returns the same condition as the expression's predicate. Called on the thread of the Realm.
    ///
    /// - Throws: ``InvalidPredicate`` if the expression is not valid for the class.
    func condition(_ expression: TypedExpression) throws -> QueryCondition {
        try expression.condition { left, operation, options, right in
            guard let path = left.path else {
                preconditionFailure("Not only paths are compared with constants.")
            }
            return try realm.preparedComparison(path, operation, options: options, in: self)
                .condition(right.operand)
        }
    }
}
