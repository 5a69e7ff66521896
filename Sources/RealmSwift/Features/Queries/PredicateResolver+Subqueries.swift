import StorageEngine

extension PredicateResolver {
    /// Returns the condition for a comparison of the count of a subquery with a number.
    func condition(
        _ subquery: SubquerySyntax, _ operation: ComparisonSyntax.Operation, given: Any?,
        in comparison: ComparisonSyntax
    ) throws -> QueryCondition {
        guard subquery.steps == [.operation("count")] else {
            throw error(
                "SUBQUERY is only supported when immediately followed by .@count that is compared "
                    + "with a constant number.", at: subquery.position)
        }
        guard let value = PredicateValue(given), value.isNumber, let order = operation.comparison
        else {
            throw error(
                "\(subquery.text).@count is only supported when compared with a constant number.",
                at: subquery.position)
        }
        let collection = try resolve(subquery.collection)
        guard collection.operation == nil, collection.leadsToMany,
            let target = collection.targetClass, let path = collection.queryPath
        else {
            throw error(
                "Invalid keypath '\(collection.text)': SUBQUERY needs a collection of objects.",
                at: subquery.position)
        }
        let inner = entering(target, name: subquery.variable)
        let element = inner.scopes.count - 1
        let (condition, refersToOthers) = try references.resolving(element) {
            try inner.condition(subquery.predicate)
        }
        let start = scopes.last { $0.name == subquery.collection.variable }
        let count: QueryExpression
        if refersToOthers, let start {
            count = .countMatchingEach(
                path, condition, object: start.variable, element: inner.scopes[element].variable)
        } else {
            count = .countMatching(path, condition)
        }
        let test = ConstantTest.comparing(order, value, as: .int)
        return collection.bound(test.condition(count, name: comparison.description))
    }
}

extension SubquerySyntax {
    /// The subquery without the steps after the closing parenthesis.
    var text: String {
        var subquery = self
        subquery.steps = []
        return subquery.description
    }
}
