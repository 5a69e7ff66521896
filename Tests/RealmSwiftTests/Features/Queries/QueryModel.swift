import Foundation

@testable import RealmSwift

/// A value of the plain model, over which predicates are evaluated object by object.
indirect enum ModelValue {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case object(ModelObject)
    case many([ModelValue])
    case map([String: ModelValue])

    init(literal: Any?) {
        switch literal {
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .number(Double(value))
        case let value as Double: self = .number(value)
        case let value as String: self = .string(value)
        default: self = .null
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The elements of a collection, or the value itself.
    var elements: [ModelValue] {
        switch self {
        case .many(let values): values
        case .map(let values): Array(values.values)
        default: [self]
        }
    }
}

final class ModelObject {
    var values: [String: ModelValue] = [:]
}

/// Evaluates a predicate in the simplest way: without plans, types or sets of keys.
struct ModelEvaluation {
    /// Names of the properties that are collections.
    let collections: Set<String>
    /// The current object, for nil, and the objects that the variables of subqueries stand for.
    private var objects: [String?: ModelObject] = [:]

    init(collections: Set<String>) { self.collections = collections }

    func isTrue(_ predicate: PredicateSyntax, _ object: ModelObject) -> Bool {
        binding(nil, to: object).isTrue(predicate)
    }

    private func binding(_ variable: String?, to object: ModelObject) -> ModelEvaluation {
        var evaluation = self
        evaluation.objects[variable] = object
        return evaluation
    }

    private func isTrue(_ predicate: PredicateSyntax) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .not(let operand): !isTrue(operand)
        case .and(let operands): operands.allSatisfy { isTrue($0) }
        case .or(let operands): operands.contains { isTrue($0) }
        case .comparison(let comparison): isTrue(comparison)
        }
    }

    private func isTrue(_ comparison: ComparisonSyntax) -> Bool {
        if isEqualityWithNil(comparison), meetsNullLink(comparison.left) { return true }
        if [.equal, .lessOrEqual, .greaterOrEqual].contains(comparison.operation),
            meetsNullLink(comparison.left), meetsNullLink(comparison.right)
        {
            return true
        }
        let rights = values(comparison.right)
        let isAny = values(comparison.left).contains { left in
            if isOrderOfTextAndNil(comparison), case .string = left { return true }
            if comparison.operation == .isIn {
                return rights.contains { matches(left, .equal, $0, comparison.options) }
            }
            if comparison.operation == .between {
                return matches(left, .greaterOrEqual, rights[0], [])
                    && matches(left, .lessOrEqual, rights[1], [])
            }
            return rights.contains { matches(left, comparison.operation, $0, comparison.options) }
        }
        return isAny != (comparison.qualifier == ComparisonSyntax.Qualifier.none)
    }

    /// Whether the comparison asks for values of a property after nil, before which no text sorts.
    private func isOrderOfTextAndNil(_ comparison: ComparisonSyntax) -> Bool {
        guard case .value(nil) = comparison.right, case .keyPath(let path) = comparison.left,
            case .name(let name)? = path.steps.last
        else { return false }
        return [.greater, .greaterOrEqual].contains(comparison.operation)
            && !["mixed", "things"].contains(name)
    }

    // MARK: Null links

    private func isEqualityWithNil(_ comparison: ComparisonSyntax) -> Bool {
        switch (comparison.operation, comparison.right) {
        case (.equal, .value(let value)): ModelValue(literal: value).isNull
        case (.isIn, .list(let values)): values.contains { ModelValue(literal: $0).isNull }
        default: false
        }
    }

    /// Whether a null to-one link interrupts a path to one value.
    private func meetsNullLink(_ operand: OperandSyntax) -> Bool {
        guard case .keyPath(let path) = operand, leadsToOne(path.steps),
            var next = objects[path.variable]
        else { return false }
        let names = path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
        for name in names.dropLast() {
            guard case .object(let target)? = next.values[name] else { return true }
            next = target
        }
        return false
    }

    private func leadsToOne(_ steps: [KeyPathSyntax.Step]) -> Bool {
        steps.allSatisfy { step in
            switch step {
            case .name(let name): !collections.contains(name) || isSubscripted(step, in: steps)
            case .operation: false
            case .key, .index, .anyElement: true
            }
        }
    }

    // MARK: Values

    private func values(_ operand: OperandSyntax) -> [ModelValue] {
        switch operand {
        case .value(let literal): return [ModelValue(literal: literal)]
        case .list(let literals): return literals.map { ModelValue(literal: $0) }
        case .keyPath(let path): return values(path)
        case .subquery(let subquery):
            let count = values(subquery.collection).filter {
                if case .object(let element) = $0 {
                    binding(subquery.variable, to: element).isTrue(subquery.predicate)
                } else {
                    false
                }
            }.count
            return [.number(Double(count))]
        }
    }

    private func values(_ path: KeyPathSyntax) -> [ModelValue] {
        let steps = path.steps
        var current: [ModelValue] = objects[path.variable].map { [.object($0)] } ?? []
        var isSingle = true
        var operation: String?
        for step in steps {
            switch step {
            case .name(let name):
                isSingle =
                    isSingle && (!collections.contains(name) || isSubscripted(step, in: steps))
                current = current.compactMap { follow(name, $0) }
            case .operation("allValues"): break
            case .operation(let name): operation = name
            case .key(let key):
                current = current.map {
                    if case .map(let values) = $0 { values[key] ?? .null } else { .null }
                }
            case .index, .anyElement: break
            }
            if !isSingle, !isSubscripted(step, in: steps) { current = current.flatMap(\.elements) }
        }
        return operation.map { [summary($0, current)] } ?? current
    }

    /// Whether a subscript follows the step. It applies to the collection as a whole.
    private func isSubscripted(
        _ step: KeyPathSyntax.Step, in steps: [KeyPathSyntax.Step]
    ) -> Bool {
        guard case .key? = steps.last, steps.count > 1 else { return false }
        return steps[steps.count - 2] == step
    }

    /// Returns the value of a property, or nil after a null link.
    private func follow(_ name: String, _ value: ModelValue) -> ModelValue? {
        guard case .object(let object) = value else { return nil }
        return object.values[name] ?? .null
    }

    private func summary(_ operation: String, _ values: [ModelValue]) -> ModelValue {
        if operation == "count" { return .number(Double(values.count)) }
        let numbers = values.compactMap { if case .number(let number) = $0 { number } else { nil } }
        let sum = numbers.reduce(0, +)
        switch operation {
        case "sum": return .number(sum)
        case "min": return numbers.min().map { .number($0) } ?? .null
        case "max": return numbers.max().map { .number($0) } ?? .null
        default: return numbers.isEmpty ? .null : .number(sum / Double(numbers.count))
        }
    }

    // MARK: Comparing

    private func matches(
        _ left: ModelValue, _ operation: ComparisonSyntax.Operation, _ right: ModelValue,
        _ options: StringOptions
    ) -> Bool {
        switch operation {
        case .notEqual: return !matches(left, .equal, right, options)
        case .equal:
            switch (left, right) {
            case (.null, .null): return true
            case (.bool(let a), .bool(let b)): return a == b
            case (.number(let a), .number(let b)): return a == b
            case (.string(let a), .string(let b)):
                return bytes(a, options) == bytes(b, options)
            case (.object(let a), .object(let b)): return a === b
            default: return false
            }
        case .less: return isLess(left, right)
        case .greater: return isLess(right, left)
        case .lessOrEqual:
            return hasOrder(left, right) && !isLess(right, left)
        case .greaterOrEqual:
            return hasOrder(left, right) && !isLess(left, right)
        default:
            guard case .string(let a) = left, case .string(let b) = right else { return false }
            return search(bytes(a, options), operation, bytes(b, options))
        }
    }

    private func hasOrder(_ left: ModelValue, _ right: ModelValue) -> Bool {
        switch (left, right) {
        case (.number, .number), (.string, .string): true
        default: false
        }
    }

    private func isLess(_ left: ModelValue, _ right: ModelValue) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }

    /// Bytes for a comparison. The only accented letter in the model's data is é.
    private func bytes(_ text: String, _ options: StringOptions) -> [UInt8] {
        var text = text
        if options.contains(.diacriticInsensitive) {
            text = text.replacingOccurrences(of: "é", with: "e")
        }
        return Array(text.utf8).map {
            options.contains(.caseInsensitive) && $0 >= 65 && $0 <= 90 ? $0 + 32 : $0
        }
    }

    private func search(
        _ text: [UInt8], _ operation: ComparisonSyntax.Operation, _ pattern: [UInt8]
    ) -> Bool {
        switch operation {
        case .beginsWith: return text.starts(with: pattern)
        case .endsWith: return text.reversed().starts(with: pattern.reversed())
        case .contains:
            return text.indices.contains { text[$0...].starts(with: pattern) } || pattern.isEmpty
        default:
            return isLike(
                Array(String(decoding: text, as: UTF8.self).unicodeScalars)[...],
                Array(String(decoding: pattern, as: UTF8.self).unicodeScalars)[...])
        }
    }

    private func isLike(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return isLike(text, pattern.dropFirst())
                || (!text.isEmpty && isLike(text.dropFirst(), pattern))
        }
        return !text.isEmpty && (first == "?" || first == text.first)
            && isLike(text.dropFirst(), pattern.dropFirst())
    }
}
