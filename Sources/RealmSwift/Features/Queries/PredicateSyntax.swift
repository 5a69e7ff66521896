/// A predicate as it was written, with unresolved names and unconverted values.
indirect enum PredicateSyntax {
    case constant(Bool)
    case not(PredicateSyntax)
    case and([PredicateSyntax])
    case or([PredicateSyntax])
    case comparison(ComparisonSyntax)

    /// The maximum nesting of conditions. All code that creates a predicate from another form
    /// checks it, so all other code can recurse. The operands of one AND or OR are on one level,
    /// whatever their number.
    static let maximumDepth = 200
    static let tooDeep = "The predicate is nested more than \(maximumDepth) times"
}

/// A comparison of two operands, with its position in the text.
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
    /// The position of the operator, in Unicode scalars.
    var position: Int
}

/// An operand of a comparison.
enum OperandSyntax {
    case keyPath(KeyPathSyntax)
    /// A literal or an argument; nil for null.
    case value(Any?)
    /// A list such as `{1, 2, 3}`.
    case list([Any?])
    indirect case subquery(SubquerySyntax)
}

/// A key path, such as `person.dogs.@count`, `map['key']`, `SELF` or `$variable.name`.
struct KeyPathSyntax {
    enum Step: Hashable {
        /// A property.
        case name(String)
        /// An operator without its `@`: `count`, `sum`, `allKeys`.
        case operation(String)
        /// A key of a map.
        case key(String)
        /// A position in a list.
        case index(Int)
        /// All elements: `[#any]`.
        case anyElement

        // Not synthesized, because strings are compared by their bytes, like keys of maps.
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

    /// The variable of a subquery with which the path begins, without `$`.
    var variable: String?
    /// The steps; empty for `SELF` and for a variable alone.
    var steps: [Step]
    var position: Int
}

/// A subquery, such as `SUBQUERY(people, $person, $person.age > 3).@count`.
struct SubquerySyntax {
    var collection: KeyPathSyntax
    var variable: String
    var predicate: PredicateSyntax
    /// The steps after the closing parenthesis.
    var steps: [KeyPathSyntax.Step]
    var position: Int
}

/// Options for the comparison of strings.
public struct StringOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int8
    /// Creates options from their bits.
    public init(rawValue: Int8) { self.rawValue = rawValue }
    /// Ignores the case of the letters A to Z.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores diacritics.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}

// MARK: Normal form

extension PredicateSyntax: CustomStringConvertible {
    /// The predicate with the necessary parentheses, and with values as literals.
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
        // Swift's description of nested arrays has no depth limit.
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

    /// Returns whether a word is only a name if it is preceded by `#`.
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
    /// The options as in a predicate string: `[cd]`.
    public var description: String {
        if isEmpty { return "" }
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return "[\(letters)]"
    }
}
