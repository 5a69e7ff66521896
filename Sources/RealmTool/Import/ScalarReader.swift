import StorageEngine
import ToolSupport

/// Single values, read from texts: the reverse of ``ScalarWriter``.
enum ScalarReader {
    /// Returns the value of a property, or of an element of its collection, that is neither a link
    /// nor an embedded object nor mixed. Bytes of the result are those of the token, or in
    /// `memory`.
    ///
    /// - Parameter place: the property in messages, `Person.age`.
    @inline(__always)
    static func scalar(
        _ token: ValueToken, _ type: ValueType, isOptional: Bool, memory: RecordMemory,
        place: @autoclosure () -> String
    ) throws(DataProblem) -> Scalar {
        switch token.kind {
        case .emptyField where type == .string && !isOptional:
            return .bytes(token.bytes)
        case .null, .emptyField:
            if isOptional { return .null }
            throw DataProblem(
                "'\(place())' must not be null; it holds \(noun(type)).", at: token.offset)
        default: break
        }
        if let value = value(token, type, memory) { return value }
        if type == .string, token.kind == .field || token.kind == .string {
            throw DataProblem(
                "This text is not UTF-8. If it is in Latin-1, "
                    + "'iconv --from-code LATIN1 --to-code UTF-8' converts it.", at: token.offset)
        }
        throw DataProblem(
            "\(token.shown) is not \(noun(type)), which '\(place())' holds.", at: token.offset)
    }

    @inline(__always)
    private static func value(
        _ token: ValueToken, _ type: ValueType, _ memory: RecordMemory
    ) -> Scalar? {
        let isText = token.kind == .field || token.kind == .string
        let isNumber = token.kind == .field || token.kind == .number
        let text = token.bytes
        switch type {
        case .int: return isNumber ? NumberText.integer(text).map { .integer($0) } : nil
        case .double:
            guard isNumber || token.kind == .string && isSpecial(text) else { return nil }
            return NumberText.double(text).map { .double($0) }
        case .float:
            guard isNumber || token.kind == .string && isSpecial(text) else { return nil }
            return NumberText.float(text).map { .float($0) }
        case .string: return isText && JSONText.isUTF8(text) ? .bytes(text) : nil
        case .bool: return bool(token).map { .integer($0 ? 1 : 0) }
        case .date: return isText ? DateText.parse(text).map { .double($0) } : nil
        case .data:
            guard isText, let bytes = Base64Text.decode(text) else { return nil }
            return .bytes(memory.copy(bytes))
        case .uuid:
            return isText ? HexText.uuid(text).map { .fixed16($0.0, $0.1) } : nil
        case .objectID:
            return isText ? HexText.objectID(text).map { .fixed12($0.0, $0.1) } : nil
        case .decimal128:
            guard isText || isNumber,
                let value = Decimal128(String(decoding: text, as: UTF8.self))
            else { return nil }
            return .fixed16(value.low, value.high)
        case .link, .embedded, .mixed, .typedLink: return nil
        }
    }

    private static func isSpecial(_ text: UnsafeRawBufferPointer) -> Bool {
        text.first.map { $0 | 0x20 == UInt8(ascii: "n") || $0 | 0x20 == UInt8(ascii: "i") } ?? false
            || text.first == UInt8(ascii: "-")
    }

    private static func bool(_ token: ValueToken) -> Bool? {
        switch token.kind {
        case .isTrue: return true
        case .isFalse: return false
        case .field:
            switch String(decoding: token.bytes.prefix(6), as: UTF8.self).lowercased() {
            case "true", "1", "yes": return true
            case "false", "0", "no": return false
            default: return nil
            }
        default: return nil
        }
    }

    /// A type in messages.
    static func noun(_ type: ValueType) -> String {
        switch type {
        case .bool: "true or false"
        case .int: "an integer of 64 bits"
        case .float, .double: "a number"
        case .string: "a text"
        case .data: "data in Base64"
        case .date: "a date such as 2026-11-26T20:15:00Z"
        case .uuid: "a UUID"
        case .objectID: "an object id of 24 hexadecimal digits"
        case .decimal128: "a decimal number"
        case .link, .typedLink: "a link"
        case .embedded: "an embedded object"
        case .mixed: "a mixed value"
        }
    }
}

extension ColumnDefinition {
    /// Whether its integers have fewer bits than those of the file.
    var isNarrow: Bool { (1..<Int64.bitWidth).contains(integerBits) }

    /// Throws for an integer that the programs of the class cannot read.
    func requireBits(
        of value: Scalar, at offset: Int?, place: () -> String
    ) throws(DataProblem) {
        guard isNarrow, case .integer(let number) = value,
            number >> (integerBits - 1) != number >> (Int64.bitWidth - 1)
        else { return }
        throw DataProblem(
            "'\(place())' holds an integer of \(integerBits) bits, which \(number) is not.",
            at: offset)
    }
}
