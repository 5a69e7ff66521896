import StorageEngine

/// Finds the names of a predicate in a class, checks what is compared with what, and makes the
/// condition that plans are compiled from.
///
/// Throws ``InvalidPredicate`` for every predicate that means nothing; never stops the program.
struct PredicateResolver {
    /// The objects that key paths may begin with: first those that the whole predicate is about,
    /// then elements of the collections of subqueries, each inside of the one before.
    private(set) var scopes: [PredicateScope]
    let references = PredicateReferences()
    /// The predicate as it was given, for messages.
    let format: String

    /// The class whose objects are tested.
    var managedClass: ManagedClass { scopes[scopes.count - 1].managedClass }

    var realm: RealmInstance { managedClass.realm }

    init(managedClass: ManagedClass, format: String) {
        scopes = [PredicateScope(managedClass, name: nil)]
        self.format = format
    }

    /// The same for the condition of a subquery.
    ///
    /// - Parameter name: of the variable, without `$`.
    func entering(_ managedClass: ManagedClass, name: String) -> PredicateResolver {
        var inner = self
        inner.scopes.append(PredicateScope(managedClass, name: name))
        return inner
    }

    static func resolve(
        _ syntax: PredicateSyntax, format: String, in managedClass: ManagedClass
    ) throws -> QueryCondition {
        try PredicateResolver(managedClass: managedClass, format: format).condition(syntax)
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
            return try ConstantResolution(self, mirrored(comparison), path)
        default: return nil
        }
    }

    private func mirrored(_ comparison: ComparisonSyntax) throws -> ComparisonSyntax {
        if let mirrored = comparison.mirrored { return mirrored }
        throw error(
            "Operator '\(comparison.operation.rawValue)' requires a keypath on the left side.",
            at: comparison.position)
    }
}

extension ComparisonSyntax {
    /// The same with the key path on the left, for one that is on the right; nil for operators that
    /// require it there. `value IN collection` is `ANY collection == value`. The operands themselves
    /// stay where they are.
    var mirrored: ComparisonSyntax? {
        var result = self
        switch operation {
        case .equal, .notEqual: break
        case .less: result.operation = .greater
        case .lessOrEqual: result.operation = .greaterOrEqual
        case .greater: result.operation = .less
        case .greaterOrEqual: result.operation = .lessOrEqual
        case .isIn:
            if case .subquery = right { return nil }
            result.qualifier = .any
            result.operation = .equal
        case .between, .beginsWith, .endsWith, .contains, .like, .matches: return nil
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
        case .members?, .list?, .map?, nil: true
        }
    }
}
