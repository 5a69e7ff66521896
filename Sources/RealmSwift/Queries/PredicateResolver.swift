import StorageEngine

/// Finds the names of a predicate in a class, checks what is compared with what, and makes the
/// condition that plans are compiled from.
///
/// Throws ``InvalidPredicate`` for every predicate that means nothing; never stops the program.
struct PredicateResolver {
    /// The class whose objects are tested.
    let managedClass: ManagedClass
    /// The variable that stands for them, inside of a subquery.
    let variable: String?
    /// The predicate as it was given, for messages.
    let format: String

    var realm: RealmInstance { managedClass.realm }

    static func resolve(
        _ syntax: PredicateSyntax, format: String, in managedClass: ManagedClass
    ) throws -> QueryCondition {
        try PredicateResolver(managedClass: managedClass, variable: nil, format: format)
            .condition(syntax)
    }

    func condition(_ syntax: PredicateSyntax) throws -> QueryCondition {
        switch syntax {
        case .constant(let value): .constant(value)
        case .not(let operand): .not(try condition(operand))
        case .and(let operands): .and(try operands.map(condition))
        case .or(let operands): .or(try operands.map(condition))
        case .comparison(let comparison): try condition(comparison)
        }
    }

    func error(_ message: String, at position: Int) -> InvalidPredicate {
        InvalidPredicate(message: message, format: format, position: position)
    }

    private func condition(_ comparison: ComparisonSyntax) throws -> QueryCondition {
        switch comparison.qualifier {
        case .all: throw error("ALL modifier not supported", at: comparison.position)
        case ComparisonSyntax.Qualifier.none?:
            var positive = comparison
            positive.qualifier = .any
            return .not(try condition(positive))
        case .any?, nil: break
        }
        switch (comparison.left, comparison.right) {
        case (.keyPath(let left), .keyPath(let right)):
            return try PairResolution(self, comparison).condition(left, right)
        case (.subquery(let subquery), .value(let value)):
            return try condition(subquery, comparison.operation, value, comparison)
        case (.value(let value), .subquery(let subquery)):
            return try condition(
                subquery, try mirrored(comparison).operation, value, comparison)
        case (.subquery(let subquery), _), (_, .subquery(let subquery)):
            throw error(
                "\(subquery.text).@count is only supported when compared with a constant number.",
                at: subquery.position)
        case (.keyPath(let path), let right):
            return try ConstantResolution(self, comparison, path).condition(try value(of: right))
        case (let left, .keyPath(let path)):
            let mirrored =
                comparison.operation == .isIn ? containing(comparison) : try mirrored(comparison)
            return try ConstantResolution(self, mirrored, path).condition(try value(of: left))
        default:
            throw error(
                "Predicate expressions must compare a keypath and another keypath or a constant "
                    + "value", at: comparison.position)
        }
    }

    /// `value IN collection` is `ANY collection == value`.
    private func containing(_ comparison: ComparisonSyntax) -> ComparisonSyntax {
        var result = comparison
        result.qualifier = .any
        result.operation = .equal
        return result
    }

    /// The same with its sides exchanged.
    private func mirrored(_ comparison: ComparisonSyntax) throws -> ComparisonSyntax {
        var result = comparison
        switch comparison.operation {
        case .equal, .notEqual: break
        case .less: result.operation = .greater
        case .lessOrEqual: result.operation = .greaterOrEqual
        case .greater: result.operation = .less
        case .greaterOrEqual: result.operation = .lessOrEqual
        case .between, .isIn, .beginsWith, .endsWith, .contains, .like, .matches:
            throw error(
                "Operator '\(comparison.operation.rawValue)' requires a keypath on the left side.",
                at: comparison.position)
        }
        return result
    }

    private func value(of operand: OperandSyntax) throws -> PredicateOperand {
        switch operand {
        case .value(let given): PredicateOperand(value: PredicateValue(given), given: given)
        case .list(let elements):
            PredicateOperand(value: PredicateValue(elements), given: elements)
        case .keyPath, .subquery: preconditionFailure("no value")
        }
    }
}

/// A value, and how it was given, for messages.
struct PredicateOperand {
    /// Nil for something that nothing can be compared with.
    let value: PredicateValue?
    let given: Any?
}
