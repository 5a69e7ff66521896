import Foundation

/// A predicate string with placeholders and the arguments for them.
struct TypedFormat {
    private(set) var text = ""
    private(set) var arguments: [Any] = []

    /// Creates the documented string of a condition whose subqueries are named.
    init(_ condition: TypedExpression) { append(condition: condition) }

    private mutating func append(condition: TypedExpression) {
        switch condition {
        case .path(let path): append(path, isTrue: true)
        case .not(.path(let path)) where !path.standsForMany: append(path, isTrue: false)
        case .not(let operand):
            text += "NOT "
            append(condition: operand)
        case .compound(let part):
            let operands = condition.operands(of: part.junction)
            text += String(repeating: "(", count: operands.count - 1)
            append(condition: operands[0])
            for operand in operands.dropFirst() {
                text += " \(part.junction.rawValue) "
                append(condition: operand)
                text += ")"
            }
        case .comparison(let left, let operation, let options, let right):
            appendAny(TypedExpression.isAny(left, operation, right: right), after: "(")
            append(operand: left)
            text += " \(operation.rawValue)\(options) "
            append(operand: right)
            text += ")"
        case .between(let path, let low, let high):
            appendAny(path.standsForMany, after: "(")
            append(path)
            text += " BETWEEN {"
            append(value: low)
            text += ", "
            append(value: high)
            text += "})"
        case .value, .list, .count, .subquery:
            preconditionFailure("The typed query is no condition.")
        }
    }

    private mutating func appendAny(_ isAny: Bool, after start: String = "") {
        text += isAny ? start + "ANY " : start
    }

    private mutating func append(_ path: TypedPath, isTrue: Bool) {
        appendAny(path.standsForMany)
        append(path)
        text += " == \(isTrue)"
    }

    private mutating func append(operand: TypedExpression) {
        switch operand {
        case .path(let path): append(path)
        case .value(let value): append(value: value)
        case .list(let values): append(value: values.map { $0 ?? NSNull() })
        case .subquery(let collection, let variable, let condition):
            text += "SUBQUERY("
            append(collection)
            text += ", $\(variable), "
            append(condition: condition)
            text += ").@count"
        case .not, .compound, .comparison, .between, .count:
            preconditionFailure("The condition is no operand.")
        }
    }

    private mutating func append(value: Any?) {
        text += "%@"
        arguments.append(value ?? NSNull())
    }

    private mutating func append(_ path: TypedPath) {
        if let variable = path.variable { text += "$" + variable }
        var isFirst = path.variable == nil
        if isFirst, path.steps.isEmpty { text += "SELF" }
        for step in path.steps {
            switch step {
            case .name, .operation:
                text += KeyPathSyntax.text([step], isContinued: !isFirst)
            case .key(let key):
                text += "[%@]"
                arguments.append(key)
            case .index(let index):
                text += "[%@]"
                arguments.append(index)
            case .anyElement:
                text += "[%K]"
                arguments.append("#any")
            }
            isFirst = false
        }
    }
}
