extension PredicateParser {
    /// Parses a value, a list of values, a key path, a subquery, or one of these in parentheses.
    mutating func operand() throws -> OperandSyntax {
        if let value = literal {
            advance()
            return .value(value)
        }
        switch current.kind {
        case .symbol("("):
            // Parentheses around an operand have no meaning, so any number of them is skipped.
            var count = 0
            while skip(symbol: "(") { count += 1 }
            let operand = try operand()
            for _ in 0..<count { try require(symbol: ")") }
            return operand
        case .symbol("{"): return try list(until: "}")
        case .symbol("["): return try list(until: "]")
        case .word: return try wordOperand()
        case .variable, .operation, .keyPath: return .keyPath(try keyPath())
        case .value, .symbol, .end: throw unexpected("a property or a value")
        }
    }

    private mutating func list(until end: String) throws -> OperandSyntax {
        advance()
        var elements: [Any?] = []
        if skip(symbol: end) { return .list(elements) }
        repeat {
            guard let element = literal else { throw unexpected("a value") }
            advance()
            elements.append(element)
        } while skip(symbol: ",")
        try require(symbol: end)
        return .list(elements)
    }

    /// The value of the current token; nil if it is not a value. The inner nil is null.
    private var literal: Any?? {
        if case .value(let value) = current.kind { return .some(value) }
        switch current.keyword {
        case "TRUE", "YES": return .some(true)
        case "FALSE", "NO": return .some(false)
        case "NULL", "NIL": return .some(nil)
        default: return nil
        }
    }

    private mutating func wordOperand() throws -> OperandSyntax {
        switch current.keyword {
        case "SUBQUERY" where following.isSymbol("("): return .subquery(try subquery())
        case "FUNCTION" where following.isSymbol("("), "CAST" where following.isSymbol("("),
            "TERNARY" where following.isSymbol("("):
            throw error("\(current.keyword ?? "") is not supported in predicates")
        case let word? where word != "SELF" && KeyPathSyntax.isReserved(word):
            throw unexpected("a property or a value")
        default: return .keyPath(try keyPath())
        }
    }

    // MARK: Key paths

    private mutating func keyPath() throws -> KeyPathSyntax {
        var path = KeyPathSyntax(variable: nil, steps: [], position: current.position)
        switch current.kind {
        case .variable(let name):
            advance()
            path.variable = name
        case .word where current.keyword == "SELF": advance()
        default: try step(into: &path.steps)
        }
        try steps(into: &path.steps)
        return path
    }

    /// Parses any number of `.name`, `.@operation` and `[…]`.
    private mutating func steps(into steps: inout [KeyPathSyntax.Step]) throws {
        while true {
            if skip(symbol: ".") {
                try step(into: &steps)
            } else if current.isSymbol("[") {
                steps.append(try subscriptStep())
            } else {
                return
            }
        }
    }

    private mutating func step(into steps: inout [KeyPathSyntax.Step]) throws {
        switch current.kind {
        case .word(let name, _): steps.append(.name(name))
        case .operation(let name): steps.append(.operation(name))
        case .keyPath(let path): steps += try self.steps(of: path)
        default: throw unexpected("the name of a property")
        }
        advance()
    }

    /// Returns the steps of a key path that was given for `%K`.
    private func steps(of path: String) throws -> [KeyPathSyntax.Step] {
        if path == "SELF" { return [] }
        let names = path.split(separator: ".", omittingEmptySubsequences: false)
        return try names.enumerated().map { index, name in
            if name.isEmpty || name == "@" {
                let isLast = index > 0 && index == names.count - 1
                throw error(
                    "Invalid keypath '\(path)': no key name "
                        + (isLast ? "after last '.'" : "before '.'"))
            }
            return name.first == "@" ? .operation(String(name.dropFirst())) : .name(String(name))
        }
    }

    private mutating func subscriptStep() throws -> KeyPathSyntax.Step {
        advance()
        let step: KeyPathSyntax.Step
        switch current.kind {
        case .value(let key as String): step = .key(key)
        case .value(let index as Int): step = .index(index)
        case .word("any", isEscaped: true), .keyPath("#any"): step = .anyElement
        case .keyPath(let key): step = .key(key)
        default: throw unexpected("a key or a position")
        }
        advance()
        try require(symbol: "]")
        return step
    }

    // MARK: Subqueries

    private mutating func subquery() throws -> SubquerySyntax {
        let position = current.position
        advance()
        try require(symbol: "(")
        let collection = try keyPath()
        try require(symbol: ",")
        guard case .variable(let variable) = current.kind else {
            throw unexpected("a variable such as '$x'")
        }
        advance()
        try require(symbol: ",")
        let predicate = try predicate()
        try require(symbol: ")")
        var steps: [KeyPathSyntax.Step] = []
        try self.steps(into: &steps)
        return SubquerySyntax(
            collection: collection, variable: variable, predicate: predicate, steps: steps,
            position: position)
    }
}
