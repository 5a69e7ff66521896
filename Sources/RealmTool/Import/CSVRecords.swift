import Glibc
import ToolSupport

/// The records of comma-separated values (RFC 4180), one after another. Lines end with LF, CRLF or
/// CR.
final class CSVRecords {
    private struct Field {
        var start: Int
        var end: Int
        var isQuoted: Bool
        /// Whether quotes inside are doubled.
        var hasDoubledQuotes: Bool
    }

    private let input: InputBuffer
    private let delimiter: UInt8
    private let memory: RecordMemory
    @exclusivity(unchecked) private var fields: ContiguousArray<Field> = []
    /// The number of the line on which the record begins, counted from 1.
    private(set) var line = 1
    private var linesOfRecord = 0
    private var recordLength = 0

    /// - Parameter memory: where fields with doubled quotes are written.
    init(_ input: InputBuffer, delimiter: UInt8, memory: RecordMemory) throws(ToolError) {
        self.input = input
        self.delimiter = delimiter
        self.memory = memory
        while input.rest.count < 3, try input.readMore() {}
        // The mark that programs on Windows put in front.
        if input.rest.starts(with: [0xEF, 0xBB, 0xBF]) { input.advance(by: 3) }
    }

    /// The bytes of the record, for messages.
    var record: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: input.rest[..<min(recordLength, input.rest.count)])
    }

    /// Moves to the next record. Returns false after the last one.
    ///
    /// - Throws: `DataProblem` for what is no CSV, `ToolError`.
    func next() throws -> Bool {
        input.advance(by: recordLength)
        line += linesOfRecord
        recordLength = 0
        linesOfRecord = 0
        while true {
            fields.removeAll(keepingCapacity: true)
            if try parse(input.rest) { return true }
            guard input.rest.count < InputBuffer.longestRecord else {
                recordLength = input.rest.count
                throw DataProblem(
                    "A record has more than a gigabyte. Is a quote missing?",
                    at: fields.last?.start)
            }
            if try !input.readMore() { return try endOfInput(input.rest) }
        }
    }

    private func endOfInput(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
        if bytes.isEmpty { return false }
        fields.removeAll(keepingCapacity: true)
        return try parse(bytes, isAtEnd: true)
    }

    /// Splits the record at the beginning of `bytes`. Returns false if its end is not there.
    private func parse(_ bytes: UnsafeRawBufferPointer, isAtEnd: Bool = false) throws -> Bool {
        var position = 0
        let count = bytes.count
        while true {
            let isQuoted = position < count && bytes[position] == UInt8(ascii: "\"")
            if isQuoted {
                guard let end = try quotedField(bytes, from: position, isAtEnd: isAtEnd) else {
                    return false
                }
                position = end
            } else {
                let start = position
                while position < count, !isSeparator(bytes[position]) {
                    if bytes[position] == UInt8(ascii: "\"") {
                        recordLength = position
                        throw DataProblem(
                            "A quote stands inside of a field that does not begin with one. Put "
                                + "the field between quotes, and double those inside of it.",
                            at: position)
                    }
                    position += 1
                }
                fields.append(
                    Field(start: start, end: position, isQuoted: false, hasDoubledQuotes: false))
            }
            if position == count {
                guard isAtEnd else { return false }
                finish(length: position, bytes)
                return true
            }
            let separator = bytes[position]
            position += 1
            if separator == delimiter { continue }
            if separator == UInt8(ascii: "\r") {
                if position == count, !isAtEnd { return false }
                if position < count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
            }
            finish(length: position, bytes)
            return true
        }
    }

    private func finish(length: Int, _ bytes: UnsafeRawBufferPointer) {
        recordLength = length
        linesOfRecord = 1
        for field in fields where field.isQuoted {
            linesOfRecord += RecordPlace.lineBreaks(
                in: UnsafeRawBufferPointer(rebasing: bytes[field.start..<field.end]))
        }
    }

    /// Returns the position after a quoted field; nil if its end is not there.
    private func quotedField(
        _ bytes: UnsafeRawBufferPointer, from start: Int, isAtEnd: Bool
    ) throws -> Int? {
        var position = start + 1
        var hasDoubledQuotes = false
        while position < bytes.count {
            guard let base = bytes.baseAddress,
                let found = memchr(base + position, 0x22, bytes.count - position)
            else { break }
            position = UnsafeRawPointer(found) - base + 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                hasDoubledQuotes = true
                position += 1
                continue
            }
            if position == bytes.count, !isAtEnd { return nil }
            if position < bytes.count, !isSeparator(bytes[position]) {
                recordLength = position
                throw DataProblem(
                    "Text follows the closing quote of a field. A quote inside of a field is "
                        + "written twice.", at: position)
            }
            fields.append(
                Field(
                    start: start + 1, end: position - 1, isQuoted: true,
                    hasDoubledQuotes: hasDoubledQuotes))
            return position
        }
        guard isAtEnd else { return nil }
        recordLength = bytes.count
        throw DataProblem("The quote that begins here has no end.", at: start)
    }

    @inline(__always)
    private func isSeparator(_ byte: UInt8) -> Bool {
        byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    // MARK: Fields

    var fieldCount: Int { fields.count }

    /// Whether the record is a line without anything.
    var isBlank: Bool {
        fields.count == 1 && !fields[0].isQuoted && fields[0].start == fields[0].end
    }

    @inline(__always)
    func field(_ index: Int) -> ValueToken {
        let field = fields[index]
        let bytes = UnsafeRawBufferPointer(rebasing: input.rest[field.start..<field.end])
        if field.hasDoubledQuotes {
            return ValueToken(
                kind: .field, bytes: withoutDoubledQuotes(bytes), offset: field.start,
                isExact: false)
        }
        return ValueToken(
            kind: bytes.isEmpty && !field.isQuoted ? .emptyField : .field, bytes: bytes,
            offset: field.start)
    }

    func text(_ index: Int) -> String { String(decoding: field(index).bytes, as: UTF8.self) }

    private func withoutDoubledQuotes(
        _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let copy = memory.allocate(bytes.count)
        var count = 0
        var position = 0
        while position < bytes.count {
            copy[count] = bytes[position]
            count += 1
            position += bytes[position] == UInt8(ascii: "\"") ? 2 : 1
        }
        return UnsafeRawBufferPointer(rebasing: copy[..<count])
    }
}
