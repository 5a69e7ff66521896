import Foundation

// MARK: Comparisons

extension PredicateExpressions.Comparison: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let operation: ComparisonSyntax.Operation =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw translator.refusal("The operator '\(op)' is not supported")
            }
        let left = try translator.translate(lhs)
        let right = try translator.translate(rhs)
        return .condition(
            try translator.comparison(left, operation, right: right) {
                guard let left = $0 as? LHS.Output, let right = $1 as? LHS.Output else {
                    return nil
                }
                return switch op {
                case .lessThan: left < right
                case .lessThanOrEqual: left <= right
                case .greaterThan: left > right
                case .greaterThanOrEqual: left >= right
                @unknown default: nil
                }
            })
    }
}

extension PredicateExpressions.Equal: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .condition(try translator.equality(lhs, rhs))
    }
}

extension PredicateExpressions.NotEqual: TranslatedExpression {
    /// Translates to a negated equality, because the operator `!=` is false at the end of a nil
    /// link.
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .condition(.not(try translator.equality(lhs, rhs)))
    }
}

extension PredicateTranslator {
    fileprivate mutating func equality<Left: PredicateExpression, Right: PredicateExpression>(
        _ left: Left, _ right: Right
    ) throws -> PredicateSyntax where Left.Output: Equatable {
        let left = try translate(left)
        let right = try translate(right)
        // The comparison of a condition that can be nil with a constant.
        switch (left, right) {
        case (.optional(let condition, unlessNil: let path), .operand(.value(let value))),
            (.operand(.value(let value)), .optional(let condition, unlessNil: let path)):
            guard let value = value as? Bool else { return .isNil(path) }
            return .and([.not(.isNil(path)), value ? condition : .not(condition)])
        default: break
        }
        let areEqual = try comparison(left, .equal, right: right) {
            guard let left = $0 as? Left.Output, let right = $1 as? Left.Output else { return nil }
            return left == right
        }
        if Left.Output.self is any OptionalProtocol.Type,
            Right.Output.self is any OptionalProtocol.Type,
            case (.operand(.keyPath(let first)), .operand(.keyPath(let second))) = (left, right),
            first.steps.count > 1 || second.steps.count > 1
        {
            // Paths that end at a nil link are not equal to other paths, not even to nil ones, so
            // this case is added.
            return .or([areEqual, .and([.isNil(first), .isNil(second)])])
        }
        return areEqual
    }

    /// Returns the comparison of two parts.
    ///
    /// - Parameters:
    ///   - left: The left part.
    ///   - operation: The operator.
    ///   - right: The right part.
    ///   - areInOrder: A function that compares two constants; nil if it cannot.
    fileprivate func comparison(
        _ left: TranslatedPredicate, _ operation: ComparisonSyntax.Operation,
        right: TranslatedPredicate, _ areInOrder: (Any, Any) -> Bool?
    ) throws -> PredicateSyntax {
        /// - Parameter isTrue: Whether the comparison is true for the default value; nil if
        ///   unknown.
        func comparison(
            _ condition: PredicateSyntax, _ path: KeyPathSyntax, isTrue: Bool?
        ) throws -> PredicateSyntax {
            guard let isTrue else {
                throw refusal("This type of value around '??' is not supported")
            }
            return isTrue ? .or([condition, .isNil(path)]) : condition
        }
        switch (left, right) {
        case (.operand(.value(let left?)), .operand(.value(let right?))):
            guard let isTrue = areInOrder(left, right) else {
                throw refusal("Comparing two constants of this type is not supported")
            }
            return .constant(isTrue)
        case (.operand(let left), .operand(let right)):
            return .comparison(left, operation, right: right)
        case (.defaulted(let path, let value), .operand(.value(let right?))):
            return try comparison(
                .comparison(.keyPath(path), operation, right: .value(right)), path,
                isTrue: areInOrder(value, right))
        case (.operand(.value(let left?)), .defaulted(let path, let value)):
            return try comparison(
                .comparison(.value(left), operation, right: .keyPath(path)), path,
                isTrue: areInOrder(left, value))
        default:
            throw refusal("Comparing conditions, or two values with '??', is not supported")
        }
    }
}

// MARK: Combinations

extension PredicateExpressions.Conjunction: TranslatedExpression, TranslatedConjunction {
    fileprivate var left: any PredicateExpression { lhs }
    fileprivate var right: any PredicateExpression { rhs }

    /// Translates a chain iteratively, because a chain from left to right is nested on the left
    /// side.
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        var (first, rights): (any PredicateExpression, [any PredicateExpression]) = (self, [])
        while let part = first as? any TranslatedConjunction {
            rights.append(part.right)
            first = part.left
        }
        return .condition(.and(try translator.conditions(first, rights)))
    }
}

extension PredicateExpressions.Disjunction: TranslatedExpression, TranslatedDisjunction {
    fileprivate var left: any PredicateExpression { lhs }
    fileprivate var right: any PredicateExpression { rhs }

    /// Translates a chain iteratively, as for a conjunction.
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        var (first, rights): (any PredicateExpression, [any PredicateExpression]) = (self, [])
        while let part = first as? any TranslatedDisjunction {
            rights.append(part.right)
            first = part.left
        }
        return .condition(.or(try translator.conditions(first, rights)))
    }
}

private protocol TranslatedConjunction {
    var left: any PredicateExpression { get }
    var right: any PredicateExpression { get }
}

private protocol TranslatedDisjunction {
    var left: any PredicateExpression { get }
    var right: any PredicateExpression { get }
}

extension PredicateTranslator {
    /// Returns the conditions of a chain.
    ///
    /// - Parameters:
    ///   - first: The first operand.
    ///   - rights: The other operands, in reverse order.
    fileprivate mutating func conditions(
        _ first: any PredicateExpression, _ rights: [any PredicateExpression]
    ) throws -> [PredicateSyntax] {
        var conditions = [try condition(first)]
        for right in rights.reversed() { conditions.append(try condition(right)) }
        return conditions
    }
}

extension PredicateExpressions.Negation: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .condition(.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let test = try translator.condition(self.test)
        let first = try translator.condition(trueBranch)
        let second = try translator.condition(falseBranch)
        return .condition(.or([.and([test, first]), .and([.not(test), second])]))
    }
}
