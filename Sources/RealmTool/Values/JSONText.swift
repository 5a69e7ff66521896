/// Strings in JSON.
enum JSONText {
    /// Appends a string with its quotes. Bytes that are no UTF-8 become replacement characters.
    static func append(string bytes: UnsafeRawBufferPointer, to output: ByteOutput) {
        output.append(UInt8(ascii: "\""))
        var start = 0
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte >= 0x80 {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                let length = scalarLength(rest)
                if length > 0 {
                    position += length
                    continue
                }
                output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                output.append("\u{FFFD}")
            } else if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
                continue
            } else {
                output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                append(escaped: byte, to: output)
            }
            position += 1
            start = position
        }
        output.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        output.append(UInt8(ascii: "\""))
    }

    static func append(string text: String, to output: ByteOutput) {
        var text = text
        text.withUTF8 { append(string: UnsafeRawBufferPointer($0), to: output) }
    }

    private static func append(escaped byte: UInt8, to output: ByteOutput) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x09: output.append(UInt8(ascii: "t"))
        default:
            output.append("u00")
            HexText.append(CollectionOfOne(byte), to: output)
        }
    }

    /// The number of bytes of the scalar of several bytes that a text begins with; 0 if it begins
    /// with none.
    static func scalarLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = bytes.first, first >= 0xC2, first <= 0xF4 else { return 0 }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard bytes.count >= length else { return 0 }
        for position in 1..<length where bytes[position] & 0xC0 != 0x80 { return 0 }
        switch first {
        case 0xE0: return bytes[1] >= 0xA0 ? length : 0
        case 0xED: return bytes[1] < 0xA0 ? length : 0
        case 0xF0: return bytes[1] >= 0x90 ? length : 0
        case 0xF4: return bytes[1] < 0x90 ? length : 0
        default: return length
        }
    }

    /// Whether bytes are valid UTF-8.
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < bytes.count {
            if bytes[position] < 0x80 {
                position += 1
                continue
            }
            let length = scalarLength(UnsafeRawBufferPointer(rebasing: bytes[position...]))
            if length == 0 { return false }
            position += length
        }
        return true
    }
}
