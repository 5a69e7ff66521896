import Foundation

/// A part of a `#Predicate` that can translate itself to a part of a predicate.
protocol TranslatedExpression: PredicateExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate
}

// MARK: Values and properties

extension PredicateExpressions.Value: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(.value(queryValue(value)))
    }
}

extension PredicateExpressions.NilLiteral: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(.value(nil))
    }
}

extension PredicateExpressions.Variable: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(.keyPath(try translator.path(of: key)))
    }
}

extension PredicateExpressions.KeyPath: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        if let collection = Root.Output.self as? any TranslatedCollection.Type {
            switch keyPath {
            case collection.countKeyPath: return .operand(try count(&translator))
            case collection.isEmptyKeyPath: return .condition(try isEmpty(&translator))
            default: break
            }
        }
        switch kind {
        case .collectionCount: return .operand(try count(&translator))
        case .collectionIsEmpty: return .condition(try isEmpty(&translator))
        default: return .operand(.keyPath(try property(&translator)))
        }
    }

    private func isEmpty(_ translator: inout PredicateTranslator) throws -> PredicateSyntax {
        if let text = Root.Output.self as? any TextOrData.Type {
            return .comparison(try translator.operand(root), .equal, right: .value(text.init()))
        }
        return .comparison(try count(&translator), .equal, right: .value(0))
    }

    /// Returns the number of elements of a collection, or of the elements that a filter selects.
    private func count(_ translator: inout PredicateTranslator) throws -> OperandSyntax {
        switch try translator.operand(root) {
        case .subquery(let subquery): return .subquery(subquery)
        case .keyPath(let path) where Root.Output.self is any TranslatedCollection.Type:
            return .keyPath(path.appending("count"))
        case .keyPath, .value, .list:
            throw translator.refusal("The length of a value is not supported")
        }
    }

    private func property(_ translator: inout PredicateTranslator) throws -> KeyPathSyntax {
        var path = try translator.path(root)
        if let enumeration = Root.Output.self as? any PersistableEnum.Type,
            enumeration.isRawValue(keyPath)
        {
            return path
        }
        guard let type = Root.Output.self as? ObjectBase.Type,
            let name = _KeyPathTracer.name(of: keyPath, from: type)
        else {
            throw translator.refusal(
                "The key path '\(keyPath)', which is no persisted property, is not supported")
        }
        path.steps += name.split(separator: ".").map { .name(String($0)) }
        return path
    }
}

extension PersistableEnum {
    /// Returns whether a key path leads to the raw value. It compares values, because a key path to
    /// a protocol requirement does not equal the key path to the enum's implementation of it.
    fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
        guard let keyPath = keyPath as? KeyPath<Self, RawValue> else { return false }
        return allCases.allSatisfy { $0[keyPath: keyPath] == $0.rawValue }
    }
}

// MARK: Optionals

extension PredicateExpressions.ForcedUnwrap: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        try translator.translate(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let path = try translator.path(wrapped)
        let result = try translator.binding(variable.key, to: path) { try $0.translate(transform) }
        switch result {
        case .condition(let condition): return .optional(condition, unlessNil: path)
        case .operand(.keyPath(let longer))
        where !longer.steps.contains(.operation("count")):
            return .operand(.keyPath(longer))
        case .operand, .optional, .defaulted:
            throw translator.refusal(
                "Something else than a property, or a condition, after '?' is not supported")
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        switch try translator.translate(lhs) {
        case .optional(let condition, unlessNil: let path):
            let otherwise = try translator.condition(rhs)
            let value = PredicateSyntax.and([.not(.isNil(path)), condition])
            switch otherwise {
            case .constant(false): return .condition(value)
            case .constant(true): return .condition(.or([.isNil(path), condition]))
            default: return .condition(.or([value, .and([.isNil(path), otherwise])]))
            }
        case .operand(.keyPath(let path)):
            guard case .value(let value?) = try translator.operand(rhs) else {
                throw translator.refusal("'??' before something else than a value is not supported")
            }
            return .defaulted(path, value)
        case .condition, .operand, .defaulted:
            throw translator.refusal("'??' after this expression is not supported")
        }
    }
}
