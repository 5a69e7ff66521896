import Glibc
import ToolSupport

/// The objects of JSON lines, which may have empty ones between them, or of one JSON array.
final class JSONRecords {
    private enum Form { case unknown, lines, array }

    private let input: InputBuffer
    private var form = Form.unknown
    /// The number of the line on which the record begins, counted from 1.
    private(set) var line = 1
    /// The characters before the record on its line, which an array has.
    private(set) var column = 0
    private var length = 0
    /// The bytes of the line break after a line.
    private var gap = 0
    /// Whether no element of the array was read.
    private var isFirst = true

    init(_ input: InputBuffer) { self.input = input }

    /// The bytes of the record. Valid until the next one.
    var record: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: input.rest[..<min(length, input.rest.count)])
    }

    /// Moves to the next record. Returns false after the last one.
    func next() throws -> Bool {
        if form == .unknown { try begin() }
        return form == .array ? try nextElement() : try nextFullLine()
    }

    private func begin() throws {
        // The mark that programs on Windows put in front.
        while input.rest.count < 3, try input.readMore() {}
        if input.rest.starts(with: [0xEF, 0xBB, 0xBF]) { input.advance(by: 3) }
        form = .lines
        if try skipSpace() == UInt8(ascii: "[") {
            form = .array
            pass(1)
        }
    }

    // MARK: Lines

    private func nextFullLine() throws -> Bool {
        repeat {
            guard try nextLine() else { return false }
        } while record.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
        return true
    }

    private func nextLine() throws -> Bool {
        if gap > 0 {
            line += 1
            column = 0
        }
        input.advance(by: length + gap)
        length = 0
        gap = 0
        var scanned = 0
        while true {
            let rest = input.rest
            if scanned < rest.count, let base = rest.baseAddress,
                let found = memchr(base + scanned, 0x0A, rest.count - scanned)
            {
                length = UnsafeRawPointer(found) - base
                gap = 1
                return true
            }
            scanned = rest.count
            try checkLength(scanned)
            if try !input.readMore() {
                length = input.rest.count
                return length > 0
            }
        }
    }

    private func checkLength(_ length: Int) throws(DataProblem) {
        guard length >= InputBuffer.longestRecord else { return }
        throw DataProblem("An object has more than a gigabyte.", at: nil)
    }

    // MARK: Elements

    private func nextElement() throws -> Bool {
        pass(length)
        var byte = try skipSpace()
        if byte == UInt8(ascii: "]") {
            pass(1)
            if try skipSpace() != nil { throw DataProblem("Text follows the array.", at: 0) }
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else {
                throw DataProblem("',' or ']' is missing after an object.", at: 0)
            }
            pass(1)
            byte = try skipSpace()
        }
        isFirst = false
        guard byte != nil else { throw DataProblem("The array has no end.", at: 0) }
        try findEnd()
        return true
    }

    /// Finds the end of the object that begins here. What is none has one byte, which its reader
    /// refuses.
    private func findEnd() throws {
        var position = 0
        var depth = 0
        var isInText = false
        repeat {
            if position == input.rest.count {
                try checkLength(position)
                guard try input.readMore() else {
                    length = position
                    throw DataProblem("The object that begins here has no end.", at: 0)
                }
            }
            let byte = input.rest[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "\\") where isInText:
                // What is escaped ends no text. It may not be there yet.
                if position == input.rest.count { _ = try input.readMore() }
                if position < input.rest.count { position += 1 }
            case UInt8(ascii: "{") where !isInText, UInt8(ascii: "[") where !isInText: depth += 1
            case UInt8(ascii: "}") where !isInText, UInt8(ascii: "]") where !isInText: depth -= 1
            default: break
            }
        } while depth > 0
        length = position
    }

    /// Passes over space. Returns the byte behind it; nil at the end.
    private func skipSpace() throws -> UInt8? {
        while true {
            let rest = input.rest
            let count = rest.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? rest.count
            let byte = count < rest.count ? rest[count] : nil
            pass(count)
            if let byte { return byte }
            if try !input.readMore() { return nil }
        }
    }

    /// Moves the beginning of the record, and counts lines and the characters on the last one.
    private func pass(_ count: Int) {
        for byte in input.rest.prefix(count) {
            if byte == 0x0A {
                line += 1
                column = 0
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        input.advance(by: count)
        length = 0
    }
}
