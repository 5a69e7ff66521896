/// Comma-separated values according to RFC 4180: records end with CRLF, a field with a comma, a
/// quote or a line break is quoted, and quotes inside are doubled.
package enum CSV {
    package static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\r\n"
    }

    package static func quoted(_ field: String) -> String {
        let needsQuotes = field.unicodeScalars.contains {
            $0 == "," || $0 == "\"" || $0 == "\r" || $0 == "\n"
        }
        guard needsQuotes else { return field }
        var text = "\""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { text.unicodeScalars.append("\"") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// One record and the line on which it begins, counted from 1.
    package struct Record: Equatable {
        package var line: Int
        package var fields: [String]

        package init(line: Int, fields: [String]) {
            self.line = line
            self.fields = fields
        }
    }

    package struct SyntaxError: Error, Equatable {
        package var line: Int
        package var message: String
    }

    /// Parses a whole text. Accepts LF as well as CRLF, and a missing line break at the end.
    package static func parse(_ text: String) throws(SyntaxError) -> [Record] {
        var parser = Parser(bytes: Array(text.utf8))
        return try parser.records()
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0
        var line = 1

        mutating func records() throws(SyntaxError) -> [Record] {
            var records: [Record] = []
            while position < bytes.count {
                records.append(try record())
            }
            return records
        }

        private mutating func record() throws(SyntaxError) -> Record {
            var record = Record(line: line, fields: [])
            while true {
                record.fields.append(try field())
                guard position < bytes.count else { return record }
                let separator = bytes[position]
                position += 1
                if separator == UInt8(ascii: ",") { continue }
                if separator == UInt8(ascii: "\r"), position < bytes.count,
                    bytes[position] == UInt8(ascii: "\n")
                {
                    position += 1
                }
                line += 1
                return record
            }
        }

        private mutating func field() throws(SyntaxError) -> String {
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                return try quotedField()
            }
            let start = position
            while position < bytes.count, !isSeparator(bytes[position]) {
                if bytes[position] == UInt8(ascii: "\"") {
                    throw SyntaxError(line: line, message: "a quote inside an unquoted field")
                }
                position += 1
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        private mutating func quotedField() throws(SyntaxError) -> String {
            let firstLine = line
            var field: [UInt8] = []
            position += 1
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\n") { line += 1 }
                guard byte == UInt8(ascii: "\"") else {
                    field.append(byte)
                    continue
                }
                if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                    field.append(byte)
                    position += 1
                } else if position == bytes.count || isSeparator(bytes[position]) {
                    return String(decoding: field, as: UTF8.self)
                } else {
                    throw SyntaxError(line: line, message: "text after a closing quote")
                }
            }
            throw SyntaxError(line: firstLine, message: "a quoted field without closing quote")
        }

        private func isSeparator(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        }
    }
}
