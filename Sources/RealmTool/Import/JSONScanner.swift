import ToolSupport

/// Reads JSON (RFC 8259) from the bytes of a record.
struct JSONScanner {
    let bytes: UnsafeRawBufferPointer
    private var position = 0
    private let memory: RecordMemory
    /// The place of the bytes in the record.
    private let start: Int
    /// Whether the bytes lie in the record as they are here.
    private let isExact: Bool

    /// - Parameter field: the field of CSV that the bytes are; nil for a record.
    init(
        _ bytes: UnsafeRawBufferPointer, memory: RecordMemory, of field: ValueToken? = nil
    ) {
        self.bytes = bytes
        self.memory = memory
        start = field?.offset ?? 0
        isExact = field?.isExact ?? true
    }

    /// The place in the record.
    var place: Int { isExact ? start + position : start }

    // MARK: Between values

    mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether numbers consist of such bytes.
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
    }

    /// The next byte that is no space; nil at the end.
    mutating func peek() -> UInt8? {
        skipSpace()
        return position < bytes.count ? bytes[position] : nil
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ character: Unicode.Scalar, _ whereFrom: String) throws(DataProblem) {
        if take(character) { return }
        throw DataProblem("'\(character)' is missing \(whereFrom).", at: place)
    }

    mutating func requireEnd() throws(DataProblem) {
        if peek() != nil { throw DataProblem("Text follows the object.", at: place) }
    }

    // MARK: Values

    /// Reads a value that is no array and no object; nil if it is one.
    mutating func token() throws(DataProblem) -> ValueToken? {
        guard let first = peek() else {
            throw DataProblem("A value is missing.", at: place)
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "t"): return try word("true", .isTrue)
        case UInt8(ascii: "f"): return try word("false", .isFalse)
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ kind: ValueToken.Kind
    ) throws(DataProblem) -> ValueToken {
        let expected = UnsafeRawBufferPointer(
            start: word.utf8Start, count: word.utf8CodeUnitCount)
        let found = UnsafeRawBufferPointer(rebasing: bytes[position...].prefix(expected.count))
        guard found.elementsEqual(expected) else { throw notJSON }
        defer { position += expected.count }
        return ValueToken(kind: kind, bytes: found, offset: place)
    }

    private var notJSON: DataProblem {
        let rest = bytes[position...].prefix { $0 > 0x20 && ![0x2C, 0x5D, 0x7D].contains($0) }
        let shown = CellText.shown(UnsafeRawBufferPointer(rebasing: rest), cut: true)
        return DataProblem(
            shown.isEmpty
                ? "A value is missing."
                : "'\(shown)' is no JSON value. Texts stand between double quotes.",
            at: place)
    }

    private mutating func number() throws(DataProblem) -> ValueToken {
        let offset = place
        let first = position
        while position < bytes.count, Self.isOfNumber(bytes[position]) { position += 1 }
        let text = UnsafeRawBufferPointer(rebasing: bytes[first..<position])
        guard !text.isEmpty, NumberText.integer(text) != nil || NumberText.double(text) != nil
        else {
            position = first
            throw notJSON
        }
        return ValueToken(kind: .number, bytes: text, offset: offset)
    }

    /// Reads a string; without a copy if nothing in it is escaped.
    mutating func string() throws(DataProblem) -> ValueToken {
        let offset = place
        position += 1
        let first = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = UnsafeRawBufferPointer(rebasing: bytes[first..<position])
                position += 1
                return ValueToken(kind: .string, bytes: text, offset: offset)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(offset, from: first) }
            guard byte >= 0x20 else { throw controlCharacter }
            position += 1
        }
        throw DataProblem("The text that begins here has no end.", at: offset)
    }

    private var controlCharacter: DataProblem {
        DataProblem(
            "A text contains a control character or a line break. Write \\n, or \\u and four "
                + "digits.", at: place)
    }

    private mutating func escapedString(
        _ offset: Int, from first: Int
    ) throws(DataProblem) -> ValueToken {
        // Escapes are longer than what they stand for.
        let end = endOfString(from: first)
        let copy = memory.allocate(end - first)
        var count = 0
        position = first
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\") {
                let scalar = try escape()
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    copy[count] = unit
                    count += 1
                }
                continue
            }
            guard byte >= 0x20 else { throw controlCharacter }
            copy[count] = byte
            count += 1
            position += 1
        }
        guard position < bytes.count else {
            throw DataProblem("The text that begins here has no end.", at: offset)
        }
        position += 1
        return ValueToken(
            kind: .string, bytes: UnsafeRawBufferPointer(rebasing: copy[..<count]), offset: offset)
    }

    /// The position of the quote that ends a string, or the end.
    private func endOfString(from first: Int) -> Int {
        var end = first
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end, bytes.count)
    }

    private mutating func escape() throws(DataProblem) -> Unicode.Scalar {
        let offset = place
        position += 2
        guard position <= bytes.count else {
            throw DataProblem("An escape has no end.", at: offset)
        }
        switch bytes[position - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar(offset)
        default: throw DataProblem("There is no such escape in JSON.", at: offset)
        }
    }

    private mutating func escapedScalar(_ offset: Int) throws(DataProblem) -> Unicode.Scalar {
        let problem = DataProblem("\\u needs four hexadecimal digits of a character.", at: offset)
        guard let unit = codeUnit() else { throw problem }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // The first half of a pair.
        guard unit < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw problem }
        position += 2
        guard let second = codeUnit(), second >= 0xDC00, second < 0xE000,
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw problem }
        return scalar
    }

    private mutating func codeUnit() -> UInt16? {
        guard position + 4 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = HexText.value(bytes[position]) else { return nil }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    // MARK: Arrays and objects

    /// Reads any value as a whole.
    mutating func node(depth: Int = 0) throws(DataProblem) -> JSONNode {
        guard depth <= ObjectText.maximumDepth else {
            throw DataProblem("Values are nested too deep.", at: place)
        }
        if let token = try token() { return JSONNode(token) }
        let offset = place
        if take("[") {
            var elements: [JSONNode] = []
            if take("]") { return JSONNode(value: .array([]), offset: offset) }
            repeat { elements.append(try node(depth: depth + 1)) } while take(",")
            try expect("]", "after an element")
            return JSONNode(value: .array(elements), offset: offset)
        }
        position += 1
        var members: [JSONNode.Member] = []
        if take("}") { return JSONNode(value: .object([]), offset: offset) }
        repeat {
            let name = try self.name()
            members.append(
                JSONNode.Member(name: Array(name.bytes), value: try node(depth: depth + 1)))
        } while take(",")
        try expect("}", "after a member")
        return JSONNode(value: .object(members), offset: offset)
    }

    /// Reads the name of a member, and the colon.
    mutating func name() throws(DataProblem) -> ValueToken {
        guard peek() == UInt8(ascii: "\"") else {
            throw DataProblem("The name of a member is missing. It is a text.", at: place)
        }
        let name = try string()
        try expect(":", "after a name")
        return name
    }
}
