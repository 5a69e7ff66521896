import StressModel

@testable import RealmSwift

/// A generator of random predicates over `Hero`.
struct PredicateGenerator {
    private var random: RepeatableRandom
    /// Variables of the enclosing subqueries; nil stands for the object itself.
    private var variables: [String?] = [nil]
    private var subqueries = 0

    init(seed: UInt64) { random = RepeatableRandom(seed: seed, part: 1) }

    private enum Kind { case int, fraction, string, bool, mixed }

    private struct Field {
        let name: String
        let kind: Kind
        let isOptional: Bool

        init(_ name: String, _ kind: Kind, optional: Bool = false) {
            self.name = name
            self.kind = kind
            isOptional = optional
        }
    }

    private static let fields = [
        Field("age", .int), Field("rank", .int, optional: true), Field("height", .fraction),
        Field("weight", .fraction, optional: true), Field("money", .fraction),
        Field("name", .string), Field("alias", .string, optional: true),
        Field("isActive", .bool), Field("isFamous", .bool, optional: true),
        Field("mixed", .mixed, optional: true),
    ]
    private static let valueCollections = [
        Field("scores", .int), Field("tags", .string), Field("traits", .int, optional: true),
        Field("things", .mixed, optional: true),
    ]
    private static let objectCollections = [
        "friends", "rivals", "allies", "staff", "fans", "boss.friends", "friends.boss",
        "boss.staff", "friends.friends", "staff.boss.rivals",
    ]
    private static let singlePaths = ["", "", "", "boss.", "boss.boss."]

    // MARK: Predicates

    mutating func predicate(depth: Int) -> PredicateSyntax {
        guard depth > 0 else { return .comparison(comparison(depth)) }
        switch random.below(6) {
        case 0:
            // The parser removes a double negation.
            let operand = predicate(depth: depth - 1)
            if case .not = operand { return operand }
            return .not(operand)
        case 1, 2: return .and(predicates(depth))
        case 3, 4: return .or(predicates(depth))
        default: return .comparison(comparison(depth))
        }
    }

    private mutating func predicates(_ depth: Int) -> [PredicateSyntax] {
        var result: [PredicateSyntax] = []
        for _ in 0..<2 + random.below(2) { result.append(predicate(depth: depth - 1)) }
        return result
    }

    private mutating func comparison(_ depth: Int) -> ComparisonSyntax {
        switch random.below(10) {
        case 0, 1, 2: return test(of: pick(Self.fields), behind: pick(Self.singlePaths), nil)
        case 3, 4:
            return test(
                of: pick(Self.fields), behind: pick(Self.objectCollections) + ".", qualifier())
        case 5:
            return test(
                of: pick(Self.valueCollections), behind: pick(Self.singlePaths), qualifier())
        case 6: return summary()
        case 7: return pair()
        case 8 where depth > 0 && subqueries < 3: return subquery(depth)
        default: return special()
        }
    }

    private mutating func test(
        of field: Field, behind prefix: String, _ qualifier: ComparisonSyntax.Qualifier?
    ) -> ComparisonSyntax {
        let (operation, options) = operation(for: field.kind)
        let right = operand(for: field, operation, mayBeNull: field.isOptional || !prefix.isEmpty)
        return ComparisonSyntax(
            qualifier: qualifier, left: path(prefix + field.name), operation: operation,
            options: options, right: right, position: 0)
    }

    private mutating func operation(
        for kind: Kind
    ) -> (ComparisonSyntax.Operation, StringOptions) {
        let order: [ComparisonSyntax.Operation] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
        let equality: [ComparisonSyntax.Operation] = [.equal, .notEqual, .isIn]
        let text: [ComparisonSyntax.Operation] = [.beginsWith, .endsWith, .contains, .like]
        let operations: [ComparisonSyntax.Operation] =
            switch kind {
            case .int, .fraction: order + equality + [.between]
            case .string, .mixed: order + equality + text
            case .bool: equality
            }
        let operation = pick(operations)
        var options: StringOptions = []
        if kind == .string, text.contains(operation) || equality.contains(operation) {
            options = StringOptions(rawValue: Int8(random.below(4)))
        }
        if operation == .like { options.remove(.diacriticInsensitive) }
        return (operation, options)
    }

    private mutating func operand(
        for field: Field, _ operation: ComparisonSyntax.Operation, mayBeNull: Bool
    ) -> OperandSyntax {
        switch operation {
        case .between: return .list([value(field.kind), value(field.kind)])
        case .isIn:
            var values: [Any?] = []
            for _ in 0..<random.below(4) {
                values.append(
                    mayBeNull && random.isOne(in: 4) ? nil : value(field.kind))
            }
            return .list(values)
        case .beginsWith, .endsWith, .contains: return .value(value(.string))
        case .like: return .value(pattern())
        default:
            return .value(mayBeNull && random.isOne(in: 4) ? nil : value(field.kind))
        }
    }

    // MARK: Operators, pairs, subqueries

    private mutating func summary() -> ComparisonSyntax {
        let text: String
        switch random.below(4) {
        case 0:
            let name = pick(["friends", "rivals", "allies", "staff", "scores", "tags", "traits"])
            text = pick(["", "boss.", "friends."]) + name + ".@count"
        case 1:
            text = pick(Self.singlePaths) + pick(["scores", "traits"]) + aggregate()
        default:
            text =
                pick(["friends", "rivals", "staff", "fans", "boss.friends"]) + aggregate() + "."
                + pick(["age", "rank", "height", "weight", "money"])
        }
        return number(path(text))
    }

    private mutating func aggregate() -> String { pick([".@min", ".@max", ".@sum", ".@avg"]) }

    private mutating func number(_ left: OperandSyntax) -> ComparisonSyntax {
        let operations: [ComparisonSyntax.Operation] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        return ComparisonSyntax(
            qualifier: nil, left: left, operation: pick(operations), options: [],
            right: .value(random.isOne(in: 3) ? value(.fraction) : random.below(6)), position: 0)
    }

    private mutating func pair() -> ComparisonSyntax {
        let groups = [["age", "rank"], ["name", "alias"], ["isActive", "isFamous"], ["boss"]]
        let group = pick(groups)
        let kind: Kind = group[0] == "age" ? .int : group[0] == "name" ? .string : .bool
        var (operation, options) = operation(for: kind)
        if operation == .isIn || operation == .between { operation = .equal }
        if kind != .string { options = [] }
        let isAny = random.isOne(in: 3)
        let left = isAny ? pick(Self.objectCollections) + "." : pick(Self.singlePaths)
        return ComparisonSyntax(
            qualifier: isAny ? .any : nil, left: path(left + pick(group)), operation: operation,
            options: options, right: path(pick(Self.singlePaths) + pick(group)), position: 0)
    }

    private mutating func subquery(_ depth: Int) -> ComparisonSyntax {
        let collection = keyPath(pick(Self.objectCollections))
        subqueries += 1
        let name = "v\(subqueries)"
        variables.append(name)
        let inner = predicate(depth: depth - 1)
        variables.removeLast()
        return number(
            .subquery(
                SubquerySyntax(
                    collection: collection, variable: name, predicate: inner,
                    steps: [.operation("count")], position: 0)))
    }

    private mutating func special() -> ComparisonSyntax {
        switch random.below(4) {
        case 0:
            return ComparisonSyntax(
                qualifier: nil,
                left: path(pick(["boss", "boss.boss", "boss.boss.boss", "home", "boss.home"])),
                operation: random.isOne(in: 2) ? .equal : .notEqual, options: [],
                right: .value(nil), position: 0)
        case 1:
            return test(
                of: Field("traits[\"a\"]", .int, optional: true), behind: pick(Self.singlePaths),
                nil)
        case 2:
            let field = pick([Field("city", .string), Field("size", .int, optional: true)])
            return test(of: field, behind: pick(["home.", "boss.home.", "boss.boss.home."]), nil)
        default:
            let field = pick([Field("city", .string), Field("size", .int, optional: true)])
            return test(of: field, behind: "places.", qualifier())
        }
    }

    private mutating func qualifier() -> ComparisonSyntax.Qualifier {
        random.isOne(in: 2) ? .any : .none
    }

    // MARK: Operands

    private mutating func path(_ text: String) -> OperandSyntax { .keyPath(keyPath(text)) }

    /// Returns a key path of the current element, or, more rarely, of an enclosing object.
    private mutating func keyPath(_ text: String) -> KeyPathSyntax {
        let variable =
            variables.count > 1 && random.isOne(in: 4)
            ? pick(variables) : variables[variables.count - 1]
        var steps: [KeyPathSyntax.Step] = []
        for name in text.split(separator: ".") {
            if name.first == "@" {
                steps.append(.operation(String(name.dropFirst())))
            } else if let bracket = name.firstIndex(of: "[") {
                steps.append(.name(String(name[..<bracket])))
                steps.append(.key("a"))
            } else {
                steps.append(.name(String(name)))
            }
        }
        return KeyPathSyntax(variable: variable, steps: steps, position: 0)
    }

    private mutating func value(_ kind: Kind) -> Any {
        switch kind {
        case .int: random.isOne(in: 6) ? Double(random.below(12)) / 2 : random.below(6)
        case .fraction: Double(random.below(20)) / 4
        case .string: Self.text(&random)
        case .bool: random.isOne(in: 2)
        case .mixed:
            switch random.below(3) {
            case 0: random.below(4)
            case 1: Self.text(&random)
            default: random.isOne(in: 2)
            }
        }
    }

    static func text(_ random: inout RepeatableRandom) -> String {
        var text = ""
        for _ in 0..<random.below(3) { text += ["a", "b", "A", "é", "e"][random.below(5)] }
        return text
    }

    private mutating func pattern() -> String {
        var text = ""
        for _ in 0..<random.below(4) { text += pick(["a", "?", "*", "é", "A"]) }
        return text
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }
}
