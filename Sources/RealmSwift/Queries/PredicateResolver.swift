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
        default: break
        }
        guard let resolution = try constantResolution(comparison) else {
            throw error(
                "Predicate expressions must compare a keypath and another keypath or a constant "
                    + "value", at: comparison.position)
        }
        return try resolution.condition(PredicateOperand(resolution.constant))
    }

    /// A comparison of a key path with a constant, ANY or nothing in front; nil for all others.
    ///
    /// - Throws: ``InvalidPredicate`` unless the key path leads somewhere, and may stand there.
    func constantResolution(_ comparison: ComparisonSyntax) throws -> ConstantResolution? {
        if comparison.qualifier == .all { return nil }
        switch (comparison.left, comparison.right) {
        case (.keyPath(let path), .value), (.keyPath(let path), .list):
            return try ConstantResolution(self, comparison, path)
        case (.value, .keyPath(let path)), (.list, .keyPath(let path)):
            let mirrored =
                comparison.operation == .isIn ? containing(comparison) : try mirrored(comparison)
            return try ConstantResolution(self, mirrored, path)
        default: return nil
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
}

/// A value, and how it was given, for messages.
struct PredicateOperand {
    let syntax: OperandSyntax
    /// Nil for something that nothing can be compared with.
    let value: PredicateValue?

    /// - Parameter constant: a value or a list.
    init(_ constant: OperandSyntax) {
        syntax = constant
        value =
            switch constant {
            case .value(let given): PredicateValue(given)
            case .list(let elements): PredicateValue(elements)
            case .keyPath, .subquery: preconditionFailure("no constant")
            }
    }

    var given: Any? {
        switch syntax {
        case .value(let given): given
        case .list(let elements): elements
        case .keyPath, .subquery: nil
        }
    }

    /// False for what is stored as a value, so that nobody asks whether its type conforms: that takes
    /// longer than most of the rest.
    var mayBeShape: Bool {
        switch value {
        case .null?, .scalar?, .object?: false
        case .members?, .list?, nil: true
        }
    }
}
