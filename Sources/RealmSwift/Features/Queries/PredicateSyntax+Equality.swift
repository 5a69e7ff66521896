import Foundation
import StorageEngine

// Equality of predicates, regardless of positions in their texts.

extension PredicateSyntax {
    /// Returns whether both have the same parts in the same order, with equal values.
    func isSame(as other: PredicateSyntax) -> Bool {
        switch (self, other) {
        case (.constant(let left), .constant(let right)): left == right
        case (.not(let left), .not(let right)): left.isSame(as: right)
        case (.and(let left), .and(let right)), (.or(let left), .or(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.comparison(let left), .comparison(let right)): left.isSame(as: right)
        default: false
        }
    }

    /// Hashes the parts of a predicate without its values. Equal predicates have equal hashes.
    func hashForm(into hasher: inout Hasher) {
        switch self {
        case .constant(let value): hasher.combine(value)
        case .not(let operand):
            hasher.combine(0)
            operand.hashForm(into: &hasher)
        case .and(let operands), .or(let operands):
            hasher.combine(operands.count)
            for operand in operands { operand.hashForm(into: &hasher) }
        case .comparison(let comparison):
            hasher.combine(comparison.operation)
            comparison.left.hashForm(into: &hasher)
            comparison.right.hashForm(into: &hasher)
        }
    }
}

extension ComparisonSyntax {
    fileprivate func isSame(as other: ComparisonSyntax) -> Bool {
        qualifier == other.qualifier && operation == other.operation && options == other.options
            && left.isSame(as: other.left) && right.isSame(as: other.right)
    }
}

extension OperandSyntax {
    fileprivate func isSame(as other: OperandSyntax) -> Bool {
        switch (self, other) {
        case (.keyPath(let left), .keyPath(let right)): return left.isSame(as: right)
        case (.subquery(let left), .subquery(let right)):
            return left.variable == right.variable && left.steps == right.steps
                && left.collection.isSame(as: right.collection)
                && left.predicate.isSame(as: right.predicate)
        case (.value, .value), (.value, .list), (.list, .value), (.list, .list):
            return Self.areEqual(constant, other.constant)
        default: return false
        }
    }

    private var constant: Any? {
        switch self {
        case .value(let value): value
        case .list(let elements): elements
        case .keyPath, .subquery: nil
        }
    }

    /// Returns whether two constants are equal. Numbers are compared by value, and true does not
    /// equal 1. Lists nested more deeply than a value can be are never equal.
    private static func areEqual(_ left: Any?, _ right: Any?, depth: Int = 0) -> Bool {
        if depth > MixedValue.maximumNesting + 1 { return false }
        switch (unwrapped(left), unwrapped(right)) {
        case (nil, nil): return true
        case (let left as [Any?], let right as [Any?]):
            return left.count == right.count
                && zip(left, right).allSatisfy { areEqual($0, $1, depth: depth + 1) }
        case (let left?, let right?):
            if let left = PredicateValue(left), let right = PredicateValue(right) {
                return UnmanagedTest.areSame(left, right)
            }
            guard let left = left as? AnyHashable, let right = right as? AnyHashable else {
                return false
            }
            return left == right
        default: return false
        }
    }

    fileprivate func hashForm(into hasher: inout Hasher) {
        switch self {
        case .keyPath(let path):
            hasher.combine(path.variable)
            hasher.combine(path.steps)
        case .subquery(let subquery):
            hasher.combine(subquery.variable)
            hasher.combine(subquery.steps)
            subquery.predicate.hashForm(into: &hasher)
        case .value, .list: hasher.combine(0)
        }
    }
}

extension KeyPathSyntax {
    fileprivate func isSame(as other: KeyPathSyntax) -> Bool {
        variable == other.variable && steps == other.steps
    }
}
