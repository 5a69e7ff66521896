import StorageEngine

/// Predicates of text as conditions of `where`, in Swift, for a program that shows them to people.
///
/// ```swift
/// let source = TypedSource(try connection.tableDefinitions()) { _, property in property }
/// try source.condition("age > 30 AND name BEGINSWITH 'A'", on: "Person")
/// // $0.age > 30 && $0.name.starts(with: "A")
/// ```
/// What it returns compiles with classes whose properties have the types that the file stores.
package struct TypedSource {
    /// Why a predicate has no typed form: a sentence.
    package struct Missing: Error { package let reason: String }

    private let tables: [String: TableDefinition]
    private let name: (_ className: String, _ property: String) -> String

    /// - Parameter name: The name in Swift of a property of a stored class.
    package init(
        _ definitions: [TableDefinition],
        name: @escaping (_ className: String, _ property: String) -> String
    ) {
        tables = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })
        self.name = name
    }

    /// Returns what stands between the braces of `where`.
    ///
    /// - Parameter predicate: One that ``StoredClassQueries`` accepts.
    /// - Throws: ``Missing``.
    package func condition(_ predicate: String, on className: String) throws -> String {
        guard let syntax = try? PredicateParser.parse(predicate) else {
            throw Missing(reason: "The predicate has a mistake.")
        }
        return try text(of: syntax, Scope(className: className))
    }

    // MARK: Conditions

    /// Where paths begin.
    private struct Scope {
        var className: String
        /// The collection that a subquery is about; nil outside of one.
        var elements: (variable: String, path: Path)?
    }

    private func text(of syntax: PredicateSyntax, _ scope: Scope) throws -> String {
        switch syntax {
        case .constant(let value):
            throw Missing(reason: "\(value ? "TRUE" : "FALSE")PREDICATE has no typed form.")
        case .not(let operand): return "!(\(try text(of: operand, scope)))"
        case .and(let operands):
            return try operands.map { operand in
                let text = try text(of: operand, scope)
                if case .or = operand { return "(\(text))" }
                return text
            }.joined(separator: " && ")
        case .or(let operands):
            return try operands.map { try text(of: $0, scope) }.joined(separator: " || ")
        case .comparison(let comparison): return try text(of: comparison, scope)
        }
    }

    private func text(of comparison: ComparisonSyntax, _ scope: Scope) throws -> String {
        switch comparison.qualifier {
        case nil, .any: return try unqualified(comparison, scope)
        case .some(.none): return "!(\(try unqualified(comparison, scope)))"
        case .all: throw Missing(reason: "ALL has no typed form.")
        }
    }

    private func unqualified(_ comparison: ComparisonSyntax, _ scope: Scope) throws -> String {
        var (left, right, operation) = (comparison.left, comparison.right, comparison.operation)
        if case .value = left, case .keyPath(let syntax) = right {
            if operation == .isIn {
                guard comparison.options.isEmpty else { throw Self.options }
                return try element(left, in: path(syntax, scope))
            }
            guard let mirrored = operation.mirrored else {
                throw Missing(
                    reason: "A value in front of \(operation.rawValue) has no typed form.")
            }
            (left, right, operation) = (right, left, mirrored)
        }
        let path: Path
        switch left {
        case .keyPath(let syntax): path = try self.path(syntax, scope)
        case .subquery(let subquery): path = try count(subquery, scope)
        case .value, .list: throw Missing(reason: "Values are compared with properties only.")
        }
        switch right {
        case .value(let value):
            return try self.comparison(path, operation, value: value, options: comparison.options)
        case .list(let values):
            guard comparison.options.isEmpty else { throw Self.options }
            return try list(path, operation, of: values)
        case .keyPath(let syntax):
            let other = try self.path(syntax, scope)
            return try self.comparison(path, operation, with: other, options: comparison.options)
        case .subquery: throw Missing(reason: "A subquery stands on the left in the typed form.")
        }
    }

    private static let options = Missing(reason: "Options such as [c] have no typed form here.")

    // MARK: Comparisons

    private func comparison(
        _ path: Path, _ operation: ComparisonSyntax.Operation, value: Any?,
        options: StringOptions
    ) throws -> String {
        if path.collection != .none {
            guard path.collection != .map else {
                throw Missing(reason: "The values of a map are compared by @allValues.")
            }
            guard operation == .equal || operation == .notEqual || path.isNumeric,
                operation.symbol != nil, options.isEmpty
            else { throw Self.ofElements(operation) }
        }
        let literal = try path.literal(value)
        if let symbol = operation.symbol, options.isEmpty {
            guard operation == .equal || operation == .notEqual || path.isOrdered else {
                throw Missing(reason: "\(path.type.name) has no order in the typed form.")
            }
            return "\(path.text) \(symbol) \(literal)"
        }
        return try call(path, operation, argument: literal, options: options)
    }

    private func comparison(
        _ path: Path, _ operation: ComparisonSyntax.Operation, with other: Path,
        options: StringOptions
    ) throws -> String {
        guard path.collection == .none, other.collection == .none else {
            throw Missing(reason: "Collections are not compared with properties.")
        }
        if path.isMany, other.isMany {
            throw Missing(reason: "Two paths through collections have no typed form.")
        }
        if let symbol = operation.symbol, options.isEmpty {
            guard path.type == other.type, path.isOptional == other.isOptional,
                path.target == other.target
            else { throw Missing(reason: "Properties of different types are not compared.") }
            guard operation == .equal || operation == .notEqual || path.isOrdered else {
                throw Missing(reason: "\(path.type.name) has no order in the typed form.")
            }
            return "\(path.text) \(symbol) \(other.text)"
        }
        return try call(path, operation, argument: other.text, options: options)
    }

    /// A comparison of texts or data, which is a call.
    private func call(
        _ path: Path, _ operation: ComparisonSyntax.Operation, argument: String,
        options: StringOptions
    ) throws -> String {
        let (name, label): (String, String)
        switch operation {
        case .beginsWith: (name, label) = ("starts", "with: ")
        case .endsWith: (name, label) = ("ends", "with: ")
        case .contains: (name, label) = ("contains", "")
        case .equal: (name, label) = ("equals", "")
        case .notEqual: (name, label) = ("notEquals", "")
        case .like:
            guard !options.contains(.diacriticInsensitive) else { throw Self.options }
            let insensitive = options.isEmpty ? "" : ", caseInsensitive: true"
            return "\(path.text).like(\(argument)\(insensitive))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .isIn, .matches:
            throw Missing(reason: "\(operation.rawValue) has no typed form here.")
        }
        return "\(path.text).\(name)(\(label)\(argument)\(Self.argument(options)))"
    }

    private static func argument(_ options: StringOptions) -> String {
        let names = [
            (StringOptions.caseInsensitive, ".caseInsensitive"),
            (.diacriticInsensitive, ".diacriticInsensitive"),
        ].filter { options.contains($0.0) }.map(\.1)
        switch names.count {
        case 0: return ""
        case 1: return ", options: \(names[0])"
        default: return ", options: [\(names.joined(separator: ", "))]"
        }
    }

    private func list(
        _ path: Path, _ operation: ComparisonSyntax.Operation, of values: [Any?]
    ) throws -> String {
        guard path.collection == .none else { throw Self.ofElements(operation) }
        let literals = try values.map(path.literal)
        switch operation {
        case .isIn where !literals.isEmpty:
            return "\(path.text).in([\(literals.joined(separator: ", "))])"
        case .between where literals.count == 2 && path.isRanged && !values.contains { $0 == nil }:
            return "\(path.text).contains(\(literals[0])...\(literals[1]))"
        default: throw Missing(reason: "\(operation.rawValue) has no typed form here.")
        }
    }

    private func element(_ value: OperandSyntax, in path: Path) throws -> String {
        guard case .value(let value) = value else { throw Self.ofElements(.isIn) }
        let literal = try path.literal(value)
        if path.collection != .none { return "\(path.text).contains(\(literal))" }
        guard path.isMany else { throw Self.ofElements(.isIn) }
        return "\(path.text) == \(literal)"
    }

    private static func ofElements(_ operation: ComparisonSyntax.Operation) -> Missing {
        Missing(reason: "\(operation.rawValue) of elements has no typed form.")
    }

    // MARK: Subqueries

    private func count(_ subquery: SubquerySyntax, _ scope: Scope) throws -> Path {
        guard scope.elements == nil, subquery.steps == [.operation("count")] else {
            throw Missing(reason: "Of subqueries, only the count has a typed form.")
        }
        let elements = try path(subquery.collection, scope)
        guard elements.collection != .none, elements.collection != .map,
            let target = elements.target
        else { throw Missing(reason: "A subquery of these elements has no typed form.") }
        let inner = Scope(className: target, elements: (subquery.variable, elements))
        let condition = try text(of: subquery.predicate, inner)
        return Path(text: "(\(condition)).count", type: .int)
    }

    // MARK: Paths

    /// A path in Swift, and what it leads to.
    fileprivate struct Path {
        var text: String
        var type: ValueType
        var collection = CollectionKind.none
        var isOptional = false
        /// The class of the objects that it leads to.
        var target: String?
        /// Whether it goes through a collection.
        var isMany = false
    }

    private func path(_ syntax: KeyPathSyntax, _ scope: Scope) throws -> Path {
        var path = Path(text: "$0", type: .link, target: scope.className)
        if let elements = scope.elements {
            guard syntax.variable == elements.variable, !syntax.steps.isEmpty else {
                throw Missing(reason: "A condition of a subquery is about its elements only.")
            }
            path = elements.path
        }
        guard !syntax.steps.isEmpty else { throw Missing(reason: "SELF has no typed form.") }
        var aggregate: String?
        for step in syntax.steps {
            if case .operation(let name) = step, path.collection != .none, path.target != nil,
                Self.aggregates.contains(name)
            {
                // The operator stands behind the property in Swift.
                aggregate = name
            } else {
                try append(step, to: &path)
            }
        }
        if scope.elements != nil, path.collection != .none {
            throw Missing(reason: "A condition of a subquery is about its elements only.")
        }
        if let aggregate { try append(.operation(aggregate), to: &path) }
        return path
    }

    private static let aggregates = ["min", "max", "sum", "avg"]
    /// Members of collections in queries, which hide properties of their elements.
    private static let members: Set<String> = [
        "count", "contains", "containsAny", "min", "max", "sum", "avg", "values", "keys",
        "persistableValue", "rawValue", "in", "equals", "notEquals", "starts", "ends", "like",
    ]

    private func append(_ step: KeyPathSyntax.Step, to path: inout Path) throws {
        switch step {
        case .name(let property):
            guard let target = path.target, path.collection != .map,
                let column = tables[target]?.columns.first(where: { $0.name == property })
            else { throw Missing(reason: "'\(property)' has no typed form here.") }
            guard !Self.members.contains(property) else {
                throw Missing(reason: "'\(property)' means something else in the typed form.")
            }
            let isMany = path.isMany || path.collection != .none
            path = Path(
                text: "\(path.text).\(name(target, property))", type: column.type,
                collection: column.collection,
                isOptional: column.isOptional && column.type != .mixed
                    || column.linkTarget != nil && [.none, .map].contains(column.collection),
                target: column.linkTarget, isMany: isMany)
        case .operation("count") where path.collection != .none:
            path = Path(text: "\(path.text).count", type: .int)
        case .operation("allKeys") where path.collection == .map:
            path = Path(text: "\(path.text).keys", type: .string, isMany: true)
        case .operation("allValues") where path.collection == .map:
            path.text += ".values"
            (path.collection, path.isMany) = (.none, true)
        case .operation(let name)
        where Self.aggregates.contains(name) && path.isNumeric
            && (path.isMany || path.collection != .none):
            path = Path(text: "\(path.text).\(name)", type: path.type, isOptional: path.isOptional)
        case .key(let key) where path.collection == .map:
            path.text += "[\(Self.literal(key))]"
            path.collection = .none
        case .key(let key) where path.isMixed: path.text += "[\(Self.literal(key))]"
        case .index(let index) where path.isMixed: path.text += "[\(index)]"
        case .anyElement where path.isMixed:
            path.text += ".any"
            path.isMany = true
        case .operation, .key, .index, .anyElement:
            let text = KeyPathSyntax.text([step], isContinued: false)
            throw Missing(reason: "'\(text)' has no typed form here.")
        }
    }
}

extension ComparisonSyntax.Operation {
    /// The operator of Swift; nil for what is a call.
    fileprivate var symbol: String? {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: rawValue
        case .between, .isIn, .beginsWith, .endsWith, .contains, .like, .matches: nil
        }
    }

    /// The operator that means the same between operands that are exchanged; nil if there is none.
    fileprivate var mirrored: Self? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .between, .isIn, .beginsWith, .endsWith, .contains, .like, .matches: nil
        }
    }
}

// MARK: Values

extension TypedSource.Path {
    fileprivate var isMixed: Bool { collection == .none && type == .mixed }
    fileprivate var isNumeric: Bool { [.number, .date, .mixed].contains(type.traits.family) }
    /// Whether `<` takes it. Identifiers have an order in predicates only.
    fileprivate var isOrdered: Bool {
        isNumeric || [.string, .data].contains(type.traits.family)
    }
    /// Whether Swift has ranges of its values, with literals for the bounds.
    fileprivate var isRanged: Bool { type.traits.family == .number }

    /// A value as it is compared with the path, or with the elements that this leads to.
    fileprivate func literal(_ value: Any?) throws -> String {
        guard let value else {
            if type == .mixed { return "AnyRealmValue.none" }
            guard isOptional else {
                throw TypedSource.Missing(reason: "What '\(text)' leads to is never nil in Swift.")
            }
            return "nil"
        }
        let isFraction = type.traits.family == .number && type != .int
        switch value {
        case let flag as Bool where type == .bool: return "\(flag)"
        case let flag as Bool where type == .mixed: return ".bool(\(flag))"
        case let number as Int where type == .bool && (number == 0 || number == 1):
            return "\(number == 1)"
        case let number as Int where type == .int || isFraction: return "\(number)"
        case let number as Int where type == .mixed: return ".int(\(number))"
        case let number as Double where isFraction: return "\(number)"
        case let number as Double where type == .mixed: return ".double(\(number))"
        case let number as Double where type == .int && Int(exactly: number) != nil:
            return "\(Int(number))"
        case let text as String where type == .string: return TypedSource.literal(text)
        case let text as String where type == .mixed:
            return ".string(\(TypedSource.literal(text)))"
        default:
            throw TypedSource.Missing(
                reason: "'\(OperandSyntax.value(value))' is no \(type.name) in the typed form.")
        }
    }
}

extension TypedSource {
    /// A text as a literal of Swift. What cannot be seen is written by its number.
    package static func literal(_ text: String) -> String {
        let hidden: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator,
        ]
        var literal = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                literal += "\\\(scalar)"
            } else if hidden.contains(scalar.properties.generalCategory) {
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                literal.unicodeScalars.append(scalar)
            }
        }
        return "\"\(literal)\""
    }
}
