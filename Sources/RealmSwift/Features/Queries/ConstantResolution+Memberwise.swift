import StorageEngine

/// Equality with values of custom types that are stored as embedded objects. Embedded objects have
/// no identity of their own, so all of their properties are compared.
extension ConstantResolution {
    /// Returns the condition for a comparison with such values; nil if there is none among the
    /// constants.
    func memberwise(_ operand: PredicateOperand) throws -> QueryCondition? {
        guard operand.value?.isMembers == true else { return nil }
        guard path.operation == nil, case .property(let property, let column) = path.end,
            property.shape.type == .embedded
        else { throw uncomparable(operand.given) }
        let values = try elements(operand)
        let isNegated = comparison.operation == .notEqual
        let target = path.last.linkTarget(column: column)
        let areEqual = QueryCondition.or(
            try values.filter { !$0.isNull }.map { try hasMembers(of: $0, operand, in: target) })
        let links = QueryCondition.link(column: column, isNegated ? .not(areEqual) : areEqual)
        let findsNull = values.contains { $0.isNull }
        guard isNegated || findsNull else { return path.through(links) }
        let isNull =
            property.shape.collection == .none
            ? QueryCondition.value(column: column, .isNull)
            : .values(.values(QueryPath(end: .column(column))), name: name(operand)) { value, _ in
                value.matches(.equal, .null)
            }
        return path.through(
            .or([isNull, links]), matchesNullLinks: findsNull && path.mayEndAtNullLink)
    }

    /// Returns the condition that an object has the same properties as a value.
    private func hasMembers(
        of value: PredicateValue, _ operand: PredicateOperand, in target: ManagedClass
    ) throws -> QueryCondition {
        guard case .members(let object) = value, target.model.type == type(of: object) else {
            throw uncomparable(value.given ?? operand.given)
        }
        let members = try target.model.properties.map { property -> PredicateSyntax in
            if property.shape.collection != .none {
                throw unsupported(property, of: target, what: "equality on collections is")
            }
            if property.shape.isLink {
                throw unsupported(property, of: target, what: "object links are")
            }
            let name = KeyPathSyntax(
                variable: nil, steps: [.name(property.name)], position: comparison.position)
            return .comparison(
                ComparisonSyntax(
                    qualifier: nil, left: .keyPath(name), operation: .equal, options: [],
                    right: .value(object.value(forKey: property.name)),
                    position: comparison.position))
        }
        return try PredicateResolver(
            managedClass: target, format: resolver.format
        ).condition(.and(members))
    }

    private func unsupported(
        _ property: PropertyModel, of target: ManagedClass, what: String
    ) -> InvalidPredicate {
        error(
            "Unsupported property '\(target.model.name).\(property.name)' for memberwise equality "
                + "query: \(what) not implemented.")
    }
}

extension PredicateValue {
    /// Whether the value, or an element if it is a list, is compared member by member.
    fileprivate var isMembers: Bool {
        switch self {
        case .members: true
        case .list(let values): values.contains { $0.isMembers }
        case .null, .scalar, .object, .map: false
        }
    }
}
