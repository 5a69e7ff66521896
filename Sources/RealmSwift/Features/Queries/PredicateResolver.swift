import StorageEngine

/// A resolver that finds the names of a predicate in a class, checks the types of comparisons, and
/// makes the condition from which plans are compiled.
///
/// It throws ``InvalidPredicate`` for every invalid predicate and never stops the program.
struct PredicateResolver {
    /// The objects with which key paths can begin. The first scope contains the objects that the
    /// whole predicate tests. The others contain the elements of the collections of nested
    /// subqueries.
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

    /// Returns a resolver for the condition of a subquery.
    ///
    /// - Parameters:
    ///   - managedClass: The class of the elements of the collection.
    ///   - name: The name of the variable, without `$`.
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
            return try condition(subquery, comparison.operation, given: value, in: comparison)
        case (.value(let value), .subquery(let subquery)):
            return try condition(
                subquery, try mirrored(comparison).operation, given: value, in: comparison)
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

    /// Returns the resolution of a comparison of a key path with a constant, with `ANY` or no
    /// modifier; nil for all others.
    ///
    /// - Throws: ``InvalidPredicate`` if the key path does not exist or is not valid in this place.
    func constantResolution(_ comparison: ComparisonSyntax) throws -> ConstantResolution? {
        if comparison.qualifier == .all { return nil }
        switch (comparison.left, comparison.right) {
        case (.keyPath(let path), .value), (.keyPath(let path), .list):
            return try ConstantResolution(self, comparison, of: path)
        case (.value, .keyPath(let path)), (.list, .keyPath(let path)):
            return try ConstantResolution(self, mirrored(comparison), of: path)
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
    /// The equivalent comparison with the key path on the left, for one with the key path on the
    /// right; nil for operators that require it on the right. `value IN collection` is `ANY
    /// collection == value`. The operands themselves are not exchanged.
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

/// An operand with its value, and its syntax for messages.
struct PredicateOperand {
    let syntax: OperandSyntax
    /// The value; nil if it cannot be compared with anything.
    let value: PredicateValue?

    /// Creates an operand.
    ///
    /// - Parameter constant: A value or a list.
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

    /// Whether the operand can be a geospatial shape. False for storable values, because checking
    /// their conformance would cost more than most of the resolution.
    var mayBeShape: Bool {
        switch value {
        case .null?, .scalar?, .object?: false
        case .members?, .list?, .map?, nil: true
        }
    }
}
