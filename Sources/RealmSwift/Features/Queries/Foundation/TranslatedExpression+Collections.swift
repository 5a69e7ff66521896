import Foundation

/// A type of characters or bytes whose values can be empty.
protocol TextOrData { init() }
extension String: TextOrData {}
extension Data: TextOrData {}

/// A Realm collection with the key paths to its own `count` and `isEmpty`, which differ from those
/// of `Collection`.
protocol TranslatedCollection {
    static var countKeyPath: AnyKeyPath { get }
    static var isEmptyKeyPath: AnyKeyPath { get }
}

extension List: TranslatedCollection {
    static var countKeyPath: AnyKeyPath { \List.count }
    static var isEmptyKeyPath: AnyKeyPath { \List.isEmpty }
}

extension MutableSet: TranslatedCollection {
    static var countKeyPath: AnyKeyPath { \MutableSet.count }
    static var isEmptyKeyPath: AnyKeyPath { \MutableSet.isEmpty }
}

extension LinkingObjects: TranslatedCollection {
    static var countKeyPath: AnyKeyPath { \LinkingObjects.count }
    static var isEmptyKeyPath: AnyKeyPath { \LinkingObjects.isEmpty }
}

// MARK: Parts of strings and data

extension PredicateExpressions.SequenceStartsWith: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .condition(try translator.search(base, .beginsWith, for: prefix))
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .condition(try translator.search(base, .contains, for: other))
    }
}

extension PredicateTranslator {
    fileprivate mutating func search<Base: PredicateExpression, Part: PredicateExpression>(
        _ base: Base, _ operation: ComparisonSyntax.Operation, for part: Part
    ) throws -> PredicateSyntax {
        guard Base.Output.self is any TextOrData.Type else {
            throw refusal("Looking for a sequence in a collection is not supported")
        }
        let whole = try operand(base)
        return .comparison(whole, operation, right: try operand(part))
    }
}

// MARK: Elements

extension PredicateExpressions.SequenceContains: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let collection = try translator.operand(sequence)
        let sought = try translator.operand(element)
        switch (collection, sought) {
        case (.value(let values as any Sequence), .keyPath):
            let list = values.map { queryValue($0) }
            return .condition(.comparison(sought, .isIn, right: .list(list)))
        case (.keyPath, .value(let character as Character)):
            return .condition(.comparison(collection, .contains, right: .value(String(character))))
        case (.keyPath, .value) where LHS.Output.self is any TranslatedCollection.Type:
            return .condition(.comparison(sought, .isIn, right: collection))
        default:
            throw translator.refusal(
                "contains(_:) with something else than a property and values is not supported")
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let count = try translator.subquery(sequence, variable.key, passing: test)
        return .condition(.comparison(count, .greater, right: .value(0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let count = try translator.subquery(sequence, variable.key, passing: test, isNegated: true)
        return .condition(.comparison(count, .equal, right: .value(0)))
    }
}

/// Supported only as the base of `count` or `isEmpty`.
extension PredicateExpressions.Filter: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(try translator.subquery(sequence, variable.key, passing: filter))
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(.keyPath(try translator.path(elements).appending("min")))
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        .operand(.keyPath(try translator.path(elements).appending("max")))
    }
}

extension KeyPathSyntax {
    /// Returns the path with a collection operator appended.
    func appending(_ operation: String) -> KeyPathSyntax {
        var path = self
        path.steps.append(.operation(operation))
        return path
    }
}

// MARK: Ranges

extension PredicateExpressions.RangeExpressionContains: TranslatedExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> TranslatedPredicate {
        let element = try translator.operand(element)
        if let range = range as? any ExpressionOfRange {
            let bounds = try range.bounds(&translator)
            return .condition(
                .and([
                    .comparison(bounds.low, .lessOrEqual, right: element),
                    .comparison(element, bounds.last, right: bounds.high),
                ]))
        }
        guard case .value(let range as any BoundedRange) = try translator.operand(range) else {
            throw translator.refusal("This range is not supported")
        }
        return .condition(
            .and(
                range.bounds.map { operation, bound in
                    .comparison(element, operation, right: .value(queryValue(bound)))
                }))
    }
}

/// A range whose bounds are expressions.
private protocol ExpressionOfRange {
    typealias Bounds = (low: OperandSyntax, last: ComparisonSyntax.Operation, high: OperandSyntax)
    func bounds(_ translator: inout PredicateTranslator) throws -> Bounds
}

extension PredicateExpressions.Range: ExpressionOfRange {
    fileprivate func bounds(_ translator: inout PredicateTranslator) throws -> Bounds {
        (try translator.operand(lower), .less, try translator.operand(upper))
    }
}

extension PredicateExpressions.ClosedRange: ExpressionOfRange {
    fileprivate func bounds(_ translator: inout PredicateTranslator) throws -> Bounds {
        (try translator.operand(lower), .lessOrEqual, try translator.operand(upper))
    }
}

/// A constant range.
private protocol BoundedRange {
    var bounds: [(ComparisonSyntax.Operation, Any)] { get }
}

extension Range: BoundedRange {
    fileprivate var bounds: [(ComparisonSyntax.Operation, Any)] {
        [(.greaterOrEqual, lowerBound), (.less, upperBound)]
    }
}

extension ClosedRange: BoundedRange {
    fileprivate var bounds: [(ComparisonSyntax.Operation, Any)] {
        [(.greaterOrEqual, lowerBound), (.lessOrEqual, upperBound)]
    }
}

extension PartialRangeFrom: BoundedRange {
    fileprivate var bounds: [(ComparisonSyntax.Operation, Any)] { [(.greaterOrEqual, lowerBound)] }
}

extension PartialRangeUpTo: BoundedRange {
    fileprivate var bounds: [(ComparisonSyntax.Operation, Any)] { [(.less, upperBound)] }
}

extension PartialRangeThrough: BoundedRange {
    fileprivate var bounds: [(ComparisonSyntax.Operation, Any)] { [(.lessOrEqual, upperBound)] }
}
