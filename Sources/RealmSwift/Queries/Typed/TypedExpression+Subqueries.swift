extension TypedExpression {
    /// The expression with a collection and a variable for each count of a condition.
    ///
    /// The outermost count takes the first collection of its paths, one inside of it the next.
    /// Variables are numbered in the order in which subqueries are written. Counting what is no
    /// condition on elements of one collection stops the program.
    func namingSubqueries() -> TypedExpression {
        var number = 0
        return naming(&number)
    }

    private func naming(_ number: inout Int) -> TypedExpression {
        switch self {
        case .path, .value, .list, .between, .subquery: return self
        case .comparison(.path, _, _, .value), .comparison(.path, _, _, .list): return self
        case .not(let operand): return .not(operand.naming(&number))
        case .compound(_, let junction, _):
            return mapOperands(of: junction) { $0.naming(&number) }
        case .comparison(let left, let operation, let options, let right):
            let left = left.naming(&number)
            return .comparison(left, operation, options, right.naming(&number))
        case .count(let condition):
            number += 1
            var scope = SubqueryScope(variable: "col\(number)")
            let inner = scope.rewrite(condition)
            guard let collection = scope.collection else { SubqueryScope.stopWithoutCollection() }
            return .subquery(
                collection: collection, variable: scope.variable, inner.naming(&number))
        }
    }

    fileprivate func mapOperands(
        of junction: Junction, _ transform: (TypedExpression) -> TypedExpression
    ) -> TypedExpression {
        let operands = operands(of: junction).map(transform)
        return operands.dropFirst().reduce(operands[0]) { .compound($0, junction, $1) }
    }
}

/// Makes the paths of a condition begin with a variable instead of their first collection.
private struct SubqueryScope {
    let variable: String
    /// The collection that all paths begin with, once one was seen.
    private(set) var collection: TypedPath?

    init(variable: String) { self.variable = variable }

    static func stopWithoutCollection() -> Never {
        stop("Subqueries must contain a keypath starting with a collection.")
    }

    mutating func rewrite(_ expression: TypedExpression) -> TypedExpression {
        switch expression {
        case .value, .list, .subquery: return expression
        case .path(let path): return .path(rewrite(path))
        case .not(let operand): return .not(rewrite(operand))
        case .count(let condition): return .count(rewrite(condition))
        case .between(let path, let low, let high): return .between(rewrite(path), low, high)
        case .compound(_, let junction, _):
            return expression.mapOperands(of: junction) { rewrite($0) }
        case .comparison(let left, let operation, let options, let right):
            let left = rewrite(left)
            return .comparison(left, operation, options, rewrite(right))
        }
    }

    private mutating func rewrite(_ path: TypedPath) -> TypedPath {
        if path.hasMapSubscript { stop("Subqueries do not support map subscripts.") }
        if path.hasMixedSubscript { stop("Subqueries do not support AnyRealmValue subscripts.") }
        guard let start = path.toFirstCollection, let relative = path.relative(to: variable)
        else { Self.stopWithoutCollection() }
        if let collection, !collection.hasSameSteps(as: start) {
            stop("Subqueries must contain key paths starting with the same collection.")
        }
        collection = start
        return relative
    }
}
