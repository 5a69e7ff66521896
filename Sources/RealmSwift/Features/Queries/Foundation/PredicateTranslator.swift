import Foundation

/// A translator of the expression tree of a `#Predicate`.
///
/// A translated condition is true for exactly the objects for which Swift evaluates the predicate
/// as true, provided that strings are compared by their bytes. It does not read objects. The parts
/// of an expression translate themselves (``TranslatedExpression``). A part that is neither a
/// constant nor has a counterpart in predicate strings is rejected.
struct PredicateTranslator {
    /// The paths of the variables, which represent the tested object, elements of collections, and
    /// unwrapped optional values.
    private var paths: [PredicateExpressions.VariableID: KeyPathSyntax] = [:]
    private var subqueryCount = 0
    private var depth = 0

    static func translate<Input>(_ predicate: Predicate<Input>) throws -> PredicateSyntax {
        var translator = PredicateTranslator()
        translator.paths[predicate.variable.key] = KeyPathSyntax(
            variable: nil, steps: [], position: 0)
        return try translator.condition(predicate.expression)
    }

    func refusal(_ what: String) -> InvalidPredicate {
        InvalidPredicate(message: "\(what) in a #Predicate", format: "", position: 0)
    }

    private func refusal(of type: Any.Type) -> InvalidPredicate {
        let name = "\(type)".prefix { $0 != "<" }
        return refusal("'\(name)' is not supported")
    }

    // MARK: Parts

    mutating func translate<E: PredicateExpression>(
        _ expression: E
    ) throws -> TranslatedPredicate {
        depth += 1
        defer { depth -= 1 }
        if depth > PredicateSyntax.maximumDepth {
            throw InvalidPredicate(message: PredicateSyntax.tooDeep, format: "", position: 0)
        }
        if let known = expression as? any TranslatedExpression {
            return try known.translate(&self)
        }
        // An expression without variables can be evaluated.
        if let value = try? expression.evaluate(PredicateBindings()) {
            return .operand(.value(queryValue(value)))
        }
        throw refusal(of: E.self)
    }

    mutating func condition<E: PredicateExpression>(_ expression: E) throws -> PredicateSyntax {
        switch try translate(expression) {
        case .condition(let condition): return condition
        case .operand(.value(let value as Bool)): return .constant(value)
        case .operand(let operand): return .comparison(operand, .equal, right: .value(true))
        case .defaulted(let path, let value as Bool):
            let isTrue = PredicateSyntax.comparison(.keyPath(path), .equal, right: .value(true))
            return value ? .or([isTrue, .isNil(path)]) : isTrue
        case .optional, .defaulted: throw refusal(of: E.self)
        }
    }

    mutating func operand<E: PredicateExpression>(_ expression: E) throws -> OperandSyntax {
        switch try translate(expression) {
        case .operand(let operand): return operand
        case .condition, .optional, .defaulted: throw refusal(of: E.self)
        }
    }

    mutating func path<E: PredicateExpression>(_ expression: E) throws -> KeyPathSyntax {
        guard case .keyPath(let path) = try operand(expression) else { throw refusal(of: E.self) }
        return path
    }

    // MARK: Variables

    func path(of variable: PredicateExpressions.VariableID) throws -> KeyPathSyntax {
        guard let path = paths[variable] else {
            throw refusal("A variable of another predicate is not supported")
        }
        return path
    }

    /// Translates a part in which a variable represents the value of a path.
    mutating func binding<Result>(
        _ variable: PredicateExpressions.VariableID, to path: KeyPathSyntax,
        _ body: (inout PredicateTranslator) throws -> Result
    ) rethrows -> Result {
        paths[variable] = path
        defer { paths[variable] = nil }
        return try body(&self)
    }

    /// Returns the count of the elements of a collection that satisfy a condition.
    mutating func subquery<Elements: PredicateExpression, Test: PredicateExpression>(
        _ elements: Elements, _ variable: PredicateExpressions.VariableID, passing test: Test,
        isNegated: Bool = false
    ) throws -> OperandSyntax where Elements.Output: Sequence {
        guard Elements.Output.Element.self is ObjectBase.Type else {
            throw refusal(
                "A condition on elements that are no objects is not supported except with "
                    + "contains(_:)")
        }
        let collection = try path(elements)
        subqueryCount += 1
        let name = "element\(subqueryCount)"
        let element = KeyPathSyntax(variable: name, steps: [], position: 0)
        let condition = try binding(variable, to: element) { try $0.condition(test) }
        return .subquery(
            SubquerySyntax(
                collection: collection, variable: name,
                predicate: isNegated ? .not(condition) : condition,
                steps: [.operation("count")], position: 0))
    }
}

/// The translation of a part of an expression.
enum TranslatedPredicate {
    case condition(PredicateSyntax)
    case operand(OperandSyntax)
    /// A condition that is nil if a path is nil.
    case optional(PredicateSyntax, unlessNil: KeyPathSyntax)
    /// The value of a path, or a constant if the path is nil.
    case defaulted(KeyPathSyntax, Any)
}

extension PredicateSyntax {
    static func comparison(
        _ left: OperandSyntax, _ operation: ComparisonSyntax.Operation, right: OperandSyntax
    ) -> PredicateSyntax {
        .comparison(
            ComparisonSyntax(
                qualifier: nil, left: left, operation: operation, options: [], right: right,
                position: 0))
    }

    static func isNil(_ path: KeyPathSyntax) -> PredicateSyntax {
        .comparison(.keyPath(path), .equal, right: .value(nil))
    }
}
