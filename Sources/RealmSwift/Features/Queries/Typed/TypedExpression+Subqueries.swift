extension TypedExpression {
    /// Returns the expression with a collection and a variable for each count of a condition.
    ///
    /// The collection of a count is the first collection of the paths in its condition. For a
    /// nested count there are two cases. If one of its paths leads through that collection to
    /// another one, it counts elements of that other collection. Otherwise it counts elements of a
    /// collection of the object itself, like an independent count. Paths without a collection refer
    /// to the object. Variables are numbered in the order of the subqueries in the text.
    ///
    /// A count of something that is not a condition on elements of one collection stops the
    /// program.
    func namingSubqueries() -> TypedExpression {
        var number = 0
        return naming(&number)
    }

    private func naming(_ number: inout Int) -> TypedExpression {
        switch self {
        case .path, .value, .list, .between, .subquery: return self
        case .comparison(.path, _, _, .value), .comparison(.path, _, _, .list): return self
        case .not(let operand): return .not(operand.naming(&number))
        case .compound(let part):
            return mapOperands(of: part.junction) { $0.naming(&number) }
        case .comparison(let left, let operation, let options, let right):
            let left = left.naming(&number)
            return .comparison(left, operation, options, right.naming(&number))
        case .count(let condition):
            number += 1
            let scope = SubqueryScope(condition, variable: "col\(number)")
            let inner = scope.rewrite(condition)
            return .subquery(
                collection: scope.collection, variable: scope.variable, inner.naming(&number))
        }
    }

    fileprivate func mapOperands(
        of junction: Junction, _ transform: (TypedExpression) -> TypedExpression
    ) -> TypedExpression {
        let operands = operands(of: junction).map(transform)
        return operands.dropFirst().reduce(operands[0]) {
            .compound(CompoundExpression($0, junction, right: $1))
        }
    }
}

extension TypedExpression {
    /// Calls `body` with the paths of a condition, in the order of the text.
    ///
    /// - Parameter entersCounts: Whether to include paths in nested counts.
    fileprivate func forEachPath(entersCounts: Bool, _ body: (TypedPath) -> Void) {
        switch self {
        case .value, .list, .subquery: break
        case .path(let path), .between(let path, _, _): body(path)
        case .not(let operand): operand.forEachPath(entersCounts: entersCounts, body)
        case .count(let condition):
            if entersCounts { condition.forEachPath(entersCounts: true, body) }
        case .compound(let part):
            for operand in operands(of: part.junction) {
                operand.forEachPath(entersCounts: entersCounts, body)
            }
        case .comparison(let left, _, _, let right):
            left.forEachPath(entersCounts: entersCounts, body)
            right.forEachPath(entersCounts: entersCounts, body)
        }
    }
}

/// A rewriting of the paths of a condition, so that they begin with a variable instead of a
/// collection.
private struct SubqueryScope {
    let variable: String
    let collection: TypedPath

    init(_ condition: TypedExpression, variable: String) {
        self.variable = variable
        var (own, nested): (TypedPath?, TypedPath?) = (nil, nil)
        condition.forEachPath(entersCounts: false) { path in
            if own == nil, path.relative(to: variable) != nil { own = path.toFirstCollection }
        }
        condition.forEachPath(entersCounts: true) { path in
            if nested == nil, Self.leadsThroughElements(path) { nested = path.toFirstCollection }
        }
        guard let collection = own ?? nested else {
            stop("Subqueries must contain a keypath starting with a collection.")
        }
        self.collection = collection
    }

    /// Returns whether a path leads to a collection of the elements of its first collection.
    private static func leadsThroughElements(_ path: TypedPath) -> Bool {
        guard let relative = path.relative(to: "") else { return false }
        return relative.relative(to: "") != nil
    }

    func rewrite(_ expression: TypedExpression) -> TypedExpression {
        switch expression {
        case .value, .list, .subquery: return expression
        case .path(let path): return .path(rewrite(path))
        case .not(let operand): return .not(rewrite(operand))
        case .count(let condition):
            return isOfElements(condition) ? .count(rewrite(condition)) : expression
        case .between(let path, let low, let high): return .between(rewrite(path), low, high)
        case .compound(let part):
            return expression.mapOperands(of: part.junction) { rewrite($0) }
        case .comparison(let left, let operation, let options, let right):
            let left = rewrite(left)
            return .comparison(left, operation, options, rewrite(right))
        }
    }

    /// Returns whether a nested count refers to collections of the elements.
    private func isOfElements(_ condition: TypedExpression) -> Bool {
        var isOfElements = false
        condition.forEachPath(entersCounts: true) { path in
            let start = path.toFirstCollection
            if Self.leadsThroughElements(path), start?.hasSameSteps(as: collection) == true {
                isOfElements = true
            }
        }
        return isOfElements
    }

    private func rewrite(_ path: TypedPath) -> TypedPath {
        if path.hasMapSubscript { stop("Subqueries do not support map subscripts.") }
        if path.hasMixedSubscript { stop("Subqueries do not support AnyRealmValue subscripts.") }
        // A path without a collection, or to an aggregate of a whole collection, is a value of the
        // object.
        guard let start = path.toFirstCollection, let relative = path.relative(to: variable)
        else { return path }
        if !start.hasSameSteps(as: collection) {
            stop("Subqueries must contain key paths starting with the same collection.")
        }
        return relative
    }
}
