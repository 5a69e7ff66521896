/// A predicate as it was written: names are not resolved yet, values not converted.
indirect enum PredicateSyntax {
    case constant(Bool)
    case not(PredicateSyntax)
    case and([PredicateSyntax])
    case or([PredicateSyntax])
    case comparison(ComparisonSyntax)

    /// Conditions lie inside each other at most so deep, however they are given. Whoever makes a
    /// predicate of something else counts on the way; so everything else may recurse. Operands of
    /// one AND or OR are one level, however many there are.
    static let maximumDepth = 200
    static let tooDeep = "The predicate is nested more than \(maximumDepth) times"
}

/// Two operands, how they are compared, and where it says so.
struct ComparisonSyntax {
    enum Qualifier: String { case any = "ANY", all = "ALL", none = "NONE" }

    enum Operation: String {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case between = "BETWEEN"
        case isIn = "IN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
    }

    var qualifier: Qualifier?
    var left: OperandSyntax
    var operation: Operation
    var options: StringOptions
    var right: OperandSyntax
    /// Of the operator, in Unicode scalars.
    var position: Int
}

/// What is compared.
enum OperandSyntax {
    case keyPath(KeyPathSyntax)
    /// A literal or an argument; nil for null.
    case value(Any?)
    /// `{1, 2, 3}`
    case list([Any?])
    indirect case subquery(SubquerySyntax)
}

/// `person.dogs.@count`, `map['key']`, `SELF`, `$variable.name`
struct KeyPathSyntax {
    enum Step: Hashable {
        /// A property.
        case name(String)
        /// What follows `@`, without it: `count`, `sum`, `allKeys`.
        case operation(String)
        /// A key of a map.
        case key(String)
        /// A position in a list.
        case index(Int)
        /// `[#any]`: all elements.
        case anyElement

        // Not synthesized, because texts are told apart by their bytes, as keys of maps are.
        static func == (left: Step, right: Step) -> Bool {
            switch (left, right) {
            case (.name(let left), .name(let right)): left.hasSameBytes(as: right)
            case (.operation(let left), .operation(let right)): left.hasSameBytes(as: right)
            case (.key(let left), .key(let right)): left.hasSameBytes(as: right)
            case (.index(let left), .index(let right)): left == right
            case (.anyElement, .anyElement): true
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .name(let text), .operation(let text), .key(let text):
                text.hashBytes(into: &hasher)
            case .index(let index): hasher.combine(index)
            case .anyElement: hasher.combine(-1)
            }
        }
    }

    /// The variable of a subquery that the path begins with, without `$`.
    var variable: String?
    /// Empty for `SELF` and for a variable alone.
    var steps: [Step]
    var position: Int
}

/// `SUBQUERY(people, $person, $person.age > 3).@count`
struct SubquerySyntax {
    var collection: KeyPathSyntax
    var variable: String
    var predicate: PredicateSyntax
    /// What follows the closing parenthesis.
    var steps: [KeyPathSyntax.Step]
    var position: Int
}

/// How strings are compared.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    /// Letters A to Z are equal to a to z.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Accents are left out.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}

// MARK: Normal form

extension PredicateSyntax: CustomStringConvertible {
    /// The predicate with the parentheses that its meaning needs, values as literals.
    var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let operand): "NOT \(operand.inParentheses)"
        case .and(let operands): operands.map(\.inParentheses).joined(separator: " AND ")
        case .or(let operands): operands.map(\.inParentheses).joined(separator: " OR ")
        case .comparison(let comparison): comparison.description
        }
    }

    private var inParentheses: String {
        switch self {
        case .and, .or: "(\(self))"
        case .constant, .not, .comparison: description
        }
    }
}

extension ComparisonSyntax: CustomStringConvertible {
    var description: String {
        let prefix = qualifier.map { $0.rawValue + " " } ?? ""
        return "\(prefix)\(left) \(operation.rawValue)\(options) \(right)"
    }
}

extension OperandSyntax: CustomStringConvertible {
    var description: String {
        switch self {
        case .keyPath(let path): path.description
        case .value(nil): "NULL"
        case .value(let text as String): "\"\(OperandSyntax.escaped(text))\""
        case .value(let flag as Bool): flag ? "TRUE" : "FALSE"
        // Swift's description of arrays inside each other is not bounded.
        case .value(let value?):
            value is any Sequence && PredicateValue.nestsTooDeep(value)
                ? "<Maximum depth exceeded>" : "\(value)"
        case .list(let elements):
            "{\(elements.map { "\(OperandSyntax.value($0))" }.joined(separator: ", "))}"
        case .subquery(let subquery): subquery.description
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension KeyPathSyntax: CustomStringConvertible {
    var description: String {
        let start = variable.map { "$" + $0 }
        let text = KeyPathSyntax.text(steps, isContinued: start != nil)
        if let start { return start + text }
        return steps.isEmpty ? "SELF" : text
    }

    /// Words that are no names unless `#` stands before them.
    static func isReserved(_ word: String) -> Bool {
        reservedWords.contains(word.uppercased())
    }

    private static let reservedWords: Set<String> = [
        "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "MATCHES", "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "TRUE", "YES",
        "FALSE", "NO", "NULL", "NIL", "SELF",
    ]

    static func text(_ steps: [Step], isContinued: Bool) -> String {
        var text = ""
        for step in steps {
            let dot = text.isEmpty && !isContinued ? "" : "."
            switch step {
            case .name(let name): text += dot + (isReserved(name) ? "#" : "") + name
            case .operation(let name): text += dot + "@" + name
            case .key(let key): text += "[\(OperandSyntax.value(key))]"
            case .index(let index): text += "[\(index)]"
            case .anyElement: text += "[#any]"
            }
        }
        return text
    }
}

extension SubquerySyntax: CustomStringConvertible {
    var description: String {
        "SUBQUERY(\(collection), $\(variable), \(predicate))"
            + KeyPathSyntax.text(steps, isContinued: true)
    }
}

extension StringOptions: CustomStringConvertible {
    /// As in a predicate string: `[cd]`.
    public var description: String {
        if isEmpty { return "" }
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return "[\(letters)]"
    }
}
