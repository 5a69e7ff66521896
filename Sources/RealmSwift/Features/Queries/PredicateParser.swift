/// A parser of predicate strings, by recursive descent with one token of lookahead.
///
/// ```
/// predicate  = conjunction { OR conjunction }
/// conjunction = negation { AND negation }
/// negation   = { NOT } ( "(" predicate ")" | TRUEPREDICATE | FALSEPREDICATE | comparison )
/// comparison = [ ANY | SOME | ALL | NONE ] operand operator [ "[" options "]" ] operand
/// ```
/// It never stops the program, even for malicious input: the depth is bounded, and the time is
/// linear in the length.
struct PredicateParser {
    let format: String
    private let tokens: [PredicateToken]
    /// The token index of the closing parenthesis for each opening one.
    private let partners: [Int: Int]
    private var next = 0
    private var depth = 0

    /// Parses a predicate and inserts the arguments for `%@`, `%K`, `%d` and similar placeholders.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate or an argument is invalid.
    static func parse(_ format: String, _ arguments: [Any?] = []) throws -> PredicateSyntax {
        var parser = try PredicateParser(format, arguments)
        let predicate = try parser.predicate()
        guard case .end = parser.current.kind else {
            throw parser.unexpected("AND, OR or the end of the predicate")
        }
        return predicate
    }

    private init(_ format: String, _ arguments: [Any?]) throws {
        self.format = format
        tokens = try PredicateLexer.tokens(format, arguments)
        partners = PredicateParser.partners(tokens)
    }

    private static func partners(_ tokens: [PredicateToken]) -> [Int: Int] {
        var partners: [Int: Int] = [:]
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            if token.isSymbol("(") { open.append(index) }
            if token.isSymbol(")"), let start = open.popLast() { partners[start] = index }
        }
        return partners
    }

    // MARK: Tokens

    var current: PredicateToken { tokens[next] }

    /// The token after the current one. The end token is followed by itself.
    var following: PredicateToken { tokens[min(next + 1, tokens.count - 1)] }

    mutating func advance() { next = min(next + 1, tokens.count - 1) }

    mutating func skip(symbol text: String) -> Bool {
        guard current.isSymbol(text) else { return false }
        advance()
        return true
    }

    mutating func skip(keyword: String, symbol: String? = nil) -> Bool {
        let isFound =
            current.keyword == keyword || symbol.map { current.isSymbol($0) } ?? false
        if isFound { advance() }
        return isFound
    }

    mutating func require(symbol text: String) throws {
        if !skip(symbol: text) { throw unexpected("'\(text)'") }
    }

    func error(_ message: String, at position: Int? = nil) -> InvalidPredicate {
        InvalidPredicate(
            message: message, format: format, position: position ?? current.position)
    }

    func unexpected(_ expectation: String) -> InvalidPredicate {
        let found: String
        switch current.kind {
        case .word(let word, _): found = "'\(word)'"
        case .variable(let name): found = "'$\(name)'"
        case .operation(let name): found = "'@\(name)'"
        case .value(let value): found = OperandSyntax.value(value).description
        case .keyPath(let path): found = "the key path '\(path)'"
        case .symbol(let symbol): found = "'\(symbol)'"
        case .end: found = "the end of the predicate"
        }
        return error(
            "Unable to parse the format string: \(expectation) is expected, not \(found)")
    }

    // MARK: Predicates

    mutating func predicate() throws -> PredicateSyntax {
        depth += 1
        defer { depth -= 1 }
        if depth > PredicateSyntax.maximumDepth { throw error(PredicateSyntax.tooDeep) }
        var operands = [try conjunction()]
        while skip(keyword: "OR", symbol: "||") { operands.append(try conjunction()) }
        return operands.count == 1 ? operands[0] : .or(operands)
    }

    private mutating func conjunction() throws -> PredicateSyntax {
        var operands = [try negation()]
        while skip(keyword: "AND", symbol: "&&") { operands.append(try negation()) }
        return operands.count == 1 ? operands[0] : .and(operands)
    }

    private mutating func negation() throws -> PredicateSyntax {
        var isInverted = false
        while skip(keyword: "NOT", symbol: "!") { isInverted.toggle() }
        let operand = try simplePredicate()
        return isInverted ? .not(operand) : operand
    }

    private mutating func simplePredicate() throws -> PredicateSyntax {
        if skip(keyword: "TRUEPREDICATE") { return .constant(true) }
        if skip(keyword: "FALSEPREDICATE") { return .constant(false) }
        if current.isSymbol("("), !beginsOperand {
            advance()
            let predicate = try predicate()
            try require(symbol: ")")
            return predicate
        }
        return .comparison(try comparison())
    }

    /// Whether the current parenthesis belongs to an operand, which is the case if an operator
    /// follows the closing one.
    private var beginsOperand: Bool {
        guard let end = partners[next], end + 1 < tokens.count else { return false }
        return Self.operation(tokens[end + 1]) != nil
    }

    // MARK: Comparisons

    private mutating func comparison() throws -> ComparisonSyntax {
        let qualifier = qualifier()
        let left = try operand()
        let position = current.position
        guard let operation = Self.operation(current) else {
            throw unexpected("a comparison operator")
        }
        advance()
        let options = try options()
        let right = try operand()
        return ComparisonSyntax(
            qualifier: qualifier, left: left, operation: operation, options: options,
            right: right, position: position)
    }

    private mutating func qualifier() -> ComparisonSyntax.Qualifier? {
        if skip(keyword: "ANY") || skip(keyword: "SOME") { return .any }
        if skip(keyword: "ALL") { return .all }
        if skip(keyword: "NONE") { return ComparisonSyntax.Qualifier.none }
        return nil
    }

    private static func operation(_ token: PredicateToken) -> ComparisonSyntax.Operation? {
        switch token.kind {
        case .symbol("="), .symbol("=="): .equal
        case .symbol("!="), .symbol("<>"): .notEqual
        case .symbol("<"): .less
        case .symbol("<="), .symbol("=<"): .lessOrEqual
        case .symbol(">"): .greater
        case .symbol(">="), .symbol("=>"): .greaterOrEqual
        // Operators that are words have the same spelling as their raw values.
        case .word: token.keyword.flatMap(ComparisonSyntax.Operation.init)
        default: nil
        }
    }

    /// Parses options such as `[cd]` after an operator. After `IN`, brackets can also contain a
    /// list.
    private mutating func options() throws -> StringOptions {
        guard current.isSymbol("["), case .word(let letters, _) = following.kind,
            next + 2 < tokens.count, tokens[next + 2].isSymbol("]")
        else { return [] }
        var options: StringOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            default:
                throw error(
                    "'[\(letters)]' is not known; use [c], [d] or [cd]", at: following.position)
            }
        }
        for _ in 0..<3 { advance() }
        return options
    }
}
