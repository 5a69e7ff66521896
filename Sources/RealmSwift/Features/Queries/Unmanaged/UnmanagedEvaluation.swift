import Foundation
import StorageEngine

/// An evaluation of a predicate on the elements of an unmanaged collection, one by one. It gives
/// the meaning of a query to Swift values.
///
/// Names are resolved during the evaluation. Types are not checked: values of different kinds are
/// unequal and unordered.
struct UnmanagedEvaluation {
    /// The predicate as it was given, for messages.
    let format: String
    /// The values of the variables of subqueries, by name. The key nil has the current element.
    private var bindings: [String?: Any?] = [:]

    init(format: String) { self.format = format }

    /// Returns whether an element satisfies a predicate.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate is invalid.
    func isTrue(_ predicate: PredicateSyntax, of element: Any?) throws -> Bool {
        try binding(nil, to: element).isTrue(predicate)
    }

    private func binding(_ variable: String?, to element: Any?) -> UnmanagedEvaluation {
        var evaluation = self
        evaluation.bindings[variable] = .some(element)
        return evaluation
    }

    private func isTrue(_ predicate: PredicateSyntax) throws -> Bool {
        switch predicate {
        case .constant(let value): value
        case .not(let operand): try !isTrue(operand)
        case .and(let operands): try operands.allSatisfy(isTrue)
        case .or(let operands): try operands.contains(where: isTrue)
        case .comparison(let comparison): try isTrue(comparison)
        }
    }

    func error(_ message: String, at position: Int) -> InvalidPredicate {
        InvalidPredicate(message: message, format: format, position: position)
    }

    // MARK: Operands

    private func values(_ path: KeyPathSyntax) throws -> UnmanagedPath {
        guard let start = bindings[path.variable] else {
            throw error("Unknown variable '$\(path.variable ?? "")'", at: path.position)
        }
        var values = UnmanagedPath(start, path, in: self)
        try values.follow(path.steps)
        return values
    }

    private func count(_ subquery: SubquerySyntax) throws -> PredicateValue {
        guard subquery.steps == [.operation("count")] else {
            throw error(
                "SUBQUERY is only supported when immediately followed by .@count that is compared "
                    + "with a constant number.", at: subquery.position)
        }
        let objects = try values(subquery.collection).values.compactMap {
            unwrapped($0) as? ObjectBase
        }
        let count = try objects.count {
            try binding(subquery.variable, to: $0).isTrue(subquery.predicate)
        }
        return .scalar(.int, .integer(Int64(count)))
    }

    private func constant(_ given: Any?, _ comparison: ComparisonSyntax) throws -> PredicateValue {
        if let value = PredicateValue(given) { return value }
        if PredicateValue.nestsTooDeep(given) {
            throw error(AnyRealmValue.tooDeep, at: comparison.position)
        }
        throw error("Cannot compare value '\(given ?? "(null)")'", at: comparison.position)
    }

    /// Returns the value of an operand; nil for a key path.
    private func constant(
        _ operand: OperandSyntax, _ comparison: ComparisonSyntax
    ) throws -> PredicateValue? {
        switch operand {
        case .value(let given): try constant(given, comparison)
        case .list(let given): .list(try given.map { try constant($0, comparison) })
        case .subquery(let subquery): try count(subquery)
        case .keyPath: nil
        }
    }

    // MARK: Comparisons

    private func isTrue(_ comparison: ComparisonSyntax) throws -> Bool {
        switch comparison.qualifier {
        case .all: throw error("ALL modifier not supported", at: comparison.position)
        case ComparisonSyntax.Qualifier.none?:
            var positive = comparison
            positive.qualifier = .any
            return try !isTrue(positive)
        case .any?, nil: break
        }
        let left = try constant(comparison.left, comparison)
        let right = try constant(comparison.right, comparison)
        switch (comparison.left, left, comparison.right, right) {
        case (.keyPath(let path), nil, _, let value?):
            return try isTrue(values(path), comparison, with: value)
        case (_, let value?, .keyPath(let path), nil):
            guard let mirrored = comparison.mirrored else {
                throw error(
                    "Operator '\(comparison.operation.rawValue)' requires a keypath on the left "
                        + "side.", at: comparison.position)
            }
            return try isTrue(values(path), mirrored, with: value)
        case (.keyPath(let first), nil, .keyPath(let second), nil):
            return try isTrue(values(first), comparison, right: values(second))
        case (.subquery, let count?, _, let value?), (_, let value?, .subquery, let count?):
            return UnmanagedTest(comparison, type: .int).passes(count, value)
        default:
            throw error(
                "Predicate expressions must compare a keypath and another keypath or a constant "
                    + "value", at: comparison.position)
        }
    }

    /// Compares a path with a constant.
    private func isTrue(
        _ path: UnmanagedPath, _ comparison: ComparisonSyntax, with value: PredicateValue
    ) throws -> Bool {
        try requireQualifier(comparison, isMany: path.leadsToMany)
        let test = UnmanagedTest(comparison, type: path.type)
        if path.endsAtNullLink {
            return comparison.operation != .notEqual && test.passes(.null, value)
                && comparison.operation.includesEquality
        }
        return try path.values.contains { test.passes(try constant($0, comparison), value) }
    }

    /// Compares two paths.
    private func isTrue(
        _ left: UnmanagedPath, _ comparison: ComparisonSyntax, right: UnmanagedPath
    ) throws -> Bool {
        let isIn = comparison.operation == .isIn
        if !isIn {
            try requireQualifier(comparison, isMany: left.leadsToMany || right.leadsToMany)
        }
        if left.endsAtNullLink, right.endsAtNullLink {
            switch comparison.operation {
            case .equal, .lessOrEqual, .greaterOrEqual: return true
            default: return false
            }
        }
        var single = comparison
        if isIn { single.operation = .equal }
        let test = UnmanagedTest(single, type: nil)
        return try left.values.contains { first in
            let first = try constant(first, comparison)
            return try right.values.contains { test.passes(first, try constant($0, comparison)) }
        }
    }

    private func requireQualifier(_ comparison: ComparisonSyntax, isMany: Bool) throws {
        if isMany, comparison.qualifier == nil {
            throw error(
                "Key paths that include a collection property must use aggregate operations",
                at: comparison.position)
        }
        if !isMany, comparison.qualifier != nil {
            throw error(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property", at: comparison.position)
        }
    }
}

extension ComparisonSyntax.Operation {
    /// Whether the operator holds for nil and nil if a link along the path is null.
    fileprivate var includesEquality: Bool { self == .equal || self == .isIn }
}
