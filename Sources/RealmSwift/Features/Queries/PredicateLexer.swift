import Foundation

/// A token of a predicate string.
struct PredicateToken {
    enum Kind {
        /// A name or a keyword. If `isEscaped` is true (`#name`), it is not a keyword.
        case word(String, isEscaped: Bool)
        /// A variable: `$name`.
        case variable(String)
        /// An operator: `@name`.
        case operation(String)
        /// A number, a string, or the argument for `%@`, `%d` or a similar placeholder.
        case value(Any?)
        /// The argument for `%K`.
        case keyPath(String)
        /// An operator or a bracket.
        case symbol(String)
        case end
    }

    var kind: Kind
    /// The position, in Unicode scalars from the beginning.
    var position: Int

    func isSymbol(_ text: String) -> Bool {
        if case .symbol(text) = kind { return true }
        return false
    }

    /// The word in capitals; nil if it cannot be a keyword.
    var keyword: String? {
        if case .word(let word, isEscaped: false) = kind { return word.uppercased() }
        return nil
    }
}

/// A lexer that splits a predicate string into tokens and inserts the arguments.
///
/// Time and memory are linear in the length of the string.
struct PredicateLexer {
    private let format: String
    private let scalars: [Unicode.Scalar]
    private var arguments: ArraySlice<Any?>
    private let argumentCount: Int
    private var position = 0

    /// Returns all tokens, ending with `.end`.
    ///
    /// Arguments without a placeholder are ignored, as in Foundation.
    ///
    /// - Throws: ``InvalidPredicate`` for a character without a meaning, an unterminated string, or
    ///   missing or invalid arguments.
    static func tokens(_ format: String, _ arguments: [Any?]) throws -> [PredicateToken] {
        var lexer = PredicateLexer(format, arguments)
        var tokens: [PredicateToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        tokens.append(PredicateToken(kind: .end, position: lexer.position))
        return tokens
    }

    private init(_ format: String, _ arguments: [Any?]) {
        self.format = format
        scalars = Array(format.unicodeScalars)
        self.arguments = arguments[...]
        argumentCount = arguments.count
    }

    private func error(_ message: String, at position: Int) -> InvalidPredicate {
        InvalidPredicate(message: message, format: format, position: position)
    }

    private var current: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private func scalar(ahead distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func next() throws -> PredicateToken? {
        while let scalar = current, scalar == " " || scalar.properties.isWhitespace {
            position += 1
        }
        guard let scalar = current else { return nil }
        let start = position
        return PredicateToken(kind: try kind(startingWith: scalar), position: start)
    }

    private mutating func kind(
        startingWith scalar: Unicode.Scalar
    ) throws -> PredicateToken.Kind {
        switch scalar {
        case "'", "\"": return .value(try string(quotedBy: scalar))
        case "%": return try argument()
        case "$": return .variable(try name(after: scalar))
        case "@": return .operation(try name(after: scalar))
        case "#": return .word(try name(after: scalar), isEscaped: true)
        case "0"..."9": return .value(try number())
        case "-" where isDigit(self.scalar(ahead: 1)): return .value(try number())
        case _ where Self.mayBeginName(scalar): return .word(word(), isEscaped: false)
        default: return .symbol(try symbol())
        }
    }

    // MARK: Names and symbols

    // ASCII is tested first, because the Unicode tables cost more than everything else here.

    private static func mayBeginName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case _ where scalar.isASCII: false
        default: scalar.properties.isIDStart
        }
    }

    private static func mayContinueName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9": true
        case _ where scalar.isASCII: mayBeginName(scalar)
        default: mayBeginName(scalar) || scalar.properties.isIDContinue
        }
    }

    private mutating func word() -> String {
        var word = String.UnicodeScalarView()
        while let scalar = current, Self.mayContinueName(scalar) {
            word.append(scalar)
            position += 1
        }
        return String(word)
    }

    private mutating func name(after mark: Unicode.Scalar) throws -> String {
        let start = position
        position += 1
        guard let scalar = current, Self.mayBeginName(scalar) else {
            throw error("'\(mark)' is not followed by a name", at: start)
        }
        return word()
    }

    private static let longSymbols = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||",
    ]

    private mutating func symbol() throws -> String {
        let start = position
        if let first = current, let second = scalar(ahead: 1) {
            let pair = "\(first)\(second)"
            if Self.longSymbols.contains(pair) {
                position += 2
                return pair
            }
        }
        switch current {
        case let scalar? where "=<>!(){}[],.".unicodeScalars.contains(scalar):
            position += 1
            return String(scalar)
        case let scalar?: throw error("'\(scalar)' has no meaning here", at: start)
        case nil: throw error("The predicate ends too early", at: start)
        }
    }

    // MARK: Literals

    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ("0"..."9").contains(scalar)
    }

    private mutating func number() throws -> Any {
        let start = position
        if current == "-" { position += 1 }
        if current == "0", scalar(ahead: 1) == "x" || scalar(ahead: 1) == "X" {
            return try hexadecimal(start)
        }
        skipDigits()
        var isWhole = true
        if current == ".", isDigit(scalar(ahead: 1)) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if current == "e" || current == "E" {
            let isSigned = scalar(ahead: 1) == "-" || scalar(ahead: 1) == "+"
            if isDigit(scalar(ahead: isSigned ? 2 : 1)) {
                isWhole = false
                position += isSigned ? 2 : 1
                skipDigits()
            }
        }
        try requireEndOfNumber(start)
        let text = text(from: start)
        if isWhole, let number = Int(text) { return number }
        guard let number = Double(text) else { throw error("'\(text)' is no number", at: start) }
        return number
    }

    private mutating func hexadecimal(_ start: Int) throws -> Any {
        let sign = position > start ? "-" : ""
        position += 2
        let first = position
        while let scalar = current, scalar.properties.isASCIIHexDigit { position += 1 }
        try requireEndOfNumber(start)
        guard let number = Int(sign + text(from: first), radix: 16) else {
            throw error("'\(text(from: start))' is no number of 64 bits", at: start)
        }
        return number
    }

    private mutating func skipDigits() { while isDigit(current) { position += 1 } }

    private func requireEndOfNumber(_ start: Int) throws {
        guard let scalar = current, Self.mayContinueName(scalar) else { return }
        throw error("'\(text(from: start))\(scalar)' is neither a number nor a name", at: start)
    }

    private func text(from start: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<position])
        return String(view)
    }

    private mutating func string(quotedBy quote: Unicode.Scalar) throws -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = current {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error("The string has no end", at: start)
    }

    /// Reads the character after a backslash.
    private mutating func escape() throws -> Unicode.Scalar {
        let start = position - 1
        guard let scalar = current else { throw error("The string has no end", at: start) }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "x": return try escape(digits: 2, start)
        case "u": return try escape(digits: 4, start)
        default: return scalar
        }
    }

    private mutating func escape(digits count: Int, _ start: Int) throws -> Unicode.Scalar {
        let first = position
        while position - first < count, current?.properties.isASCIIHexDigit == true {
            position += 1
        }
        guard position - first == count,
            let scalar = UInt32(text(from: first), radix: 16).flatMap(Unicode.Scalar.init)
        else { throw error("'\(text(from: start))' is no character", at: start) }
        return scalar
    }

    // MARK: Arguments

    private static let numberFormats = [
        "lld", "lli", "llu", "llx", "ld", "li", "lu", "lx", "lf", "hd", "hi", "hu", "hhd",
        "zd", "zu", "qd", "qi", "qu", "d", "D", "i", "u", "U", "x", "X", "f", "F", "e", "g", "a",
    ]

    private mutating func argument() throws -> PredicateToken.Kind {
        let start = position
        position += 1
        if current == "@" {
            position += 1
            return .value(try takeArgument(start))
        }
        if current == "K" {
            position += 1
            let argument = try takeArgument(start)
            guard let path = argument as? String else {
                throw error(
                    "%K takes a key path, but the argument is \(text(of: argument))", at: start)
            }
            return .keyPath(path)
        }
        let letters = word()
        guard Self.numberFormats.contains(letters) else {
            throw error("'%\(letters)' is not known; use %@, %K or %d", at: start)
        }
        let argument = try takeArgument(start)
        if var place = argument as? ArgumentPlace {
            place.isOfNumber = true
            return .value(place)
        }
        guard Self.isNumber(argument) else {
            throw error(
                "%\(letters) takes a number, but the argument is \(text(of: argument))", at: start)
        }
        return .value(argument)
    }

    /// Returns whether `%d` accepts an argument.
    static func isNumber(_ argument: Any?) -> Bool {
        argument is any BinaryInteger || argument is any BinaryFloatingPoint
            || argument.flatMap { cast($0, to: NSNumber.self) } != nil
    }

    private mutating func takeArgument(_ start: Int) throws -> Any? {
        guard let argument = arguments.popFirst() else {
            throw error(
                "There are more placeholders than arguments (\(argumentCount))", at: start)
        }
        return argument
    }

    private func text(of argument: Any?) -> String {
        guard let argument else { return "nil" }
        return "'\(described(argument))' of type '\(type(of: argument))'"
    }
}
