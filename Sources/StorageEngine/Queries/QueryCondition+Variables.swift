/// Copies of conditions, for plans that are used by different threads. A condition is a plain value
/// except for its variables, which its plans bind while they run.
extension QueryCondition {
    /// Returns the same condition with variables of its own.
    public func withOwnVariables() -> QueryCondition {
        var copies = VariableCopies()
        return copied(&copies)
    }

    fileprivate func copied(_ copies: inout VariableCopies) -> QueryCondition {
        switch self {
        case .constant, .value, .keys, .object: return self
        case .not(let condition): return .not(condition.copied(&copies))
        case .and(let conditions): return .and(conditions.map { $0.copied(&copies) })
        case .or(let conditions): return .or(conditions.map { $0.copied(&copies) })
        case .link(let column, let condition):
            return .link(column: column, condition.copied(&copies))
        case .referrer(let table, let column, let condition):
            return .referrer(table: table, column: column, condition.copied(&copies))
        case .values(let expression, let name, let test):
            return .values(expression.copied(&copies), name: name, test)
        case .pairs(let left, let right, let name, let test):
            return .pairs(left.copied(&copies), right.copied(&copies), name: name, test)
        case .bound(let variable, let condition):
            return .bound(copies.copy(of: variable), condition.copied(&copies))
        }
    }
}

extension QueryExpression {
    fileprivate func copied(_ copies: inout VariableCopies) -> QueryExpression {
        switch self {
        case .constant, .object, .values, .count, .aggregate: return self
        case .countMatching(let path, let condition):
            return .countMatching(path, condition.copied(&copies))
        case .countMatchingEach(let path, let condition, let object, let element):
            return .countMatchingEach(
                path, condition.copied(&copies), object: copies.copy(of: object),
                element: copies.copy(of: element))
        case .bound(let variable, let expression):
            return .bound(copies.copy(of: variable), expression.copied(&copies))
        }
    }
}

/// The copies of the variables of one condition.
private struct VariableCopies {
    private var copies: [ObjectIdentifier: QueryVariable] = [:]

    mutating func copy(of variable: QueryVariable) -> QueryVariable {
        if let known = copies[ObjectIdentifier(variable)] { return known }
        let copy = QueryVariable(table: variable.tableNumber)
        copies[ObjectIdentifier(variable)] = copy
        return copy
    }
}
