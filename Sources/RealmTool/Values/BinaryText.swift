/// Bytes as hexadecimal digits.
enum HexText {
    static func append(_ bytes: some Sequence<UInt8>, to output: ByteOutput) {
        for byte in bytes {
            output.append(digit(byte >> 4))
            output.append(digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }

    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Nil if the text is not pairs of digits.
    static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for position in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[position]), let low = value(text[position + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    // MARK: Identifiers

    /// Appends a UUID as `8-4-4-4-12` digits.
    static func append(uuid first: UInt64, _ second: UInt64, to output: ByteOutput) {
        for position in 0..<16 {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                output.append(UInt8(ascii: "-"))
            }
            let word = position < 8 ? first : second
            append(CollectionOfOne(byte(position % 8, of: word)), to: output)
        }
    }

    static func append(objectID first: UInt64, _ second: UInt32, to output: ByteOutput) {
        for position in 0..<12 {
            let word = position < 8 ? first : UInt64(second)
            append(CollectionOfOne(byte(position % 8, of: word)), to: output)
        }
    }

    private static func byte(_ position: Int, of word: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: word >> UInt64(position * 8))
    }

    /// Nil if the text is no UUID.
    static func uuid(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var count = 0
        var position = 0
        while position < 36 {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard text[position] == UInt8(ascii: "-") else { return nil }
                position += 1
            }
            guard let high = value(text[position]), let low = value(text[position + 1]) else {
                return nil
            }
            let byte = UInt64(high << 4 | low)
            if count < 8 {
                words.0 |= byte << UInt64(count * 8)
            } else {
                words.1 |= byte << UInt64((count - 8) * 8)
            }
            count += 1
            position += 2
        }
        return words
    }

    /// Nil if the text is no object id.
    static func objectID(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt32)? {
        guard text.count == 24, let bytes = decode(text) else { return nil }
        return bytes.withUnsafeBytes {
            (
                UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
    }
}

/// Bytes as text in Base64 (RFC 4648, with padding).
enum Base64Text {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func append(_ bytes: UnsafeRawBufferPointer, to output: ByteOutput) {
        digits.withUnsafeBufferPointer { digits in
            var position = 0
            while position < bytes.count {
                let rest = bytes.count - position
                let second = rest > 1 ? UInt32(bytes[position + 1]) : 0
                let third = rest > 2 ? UInt32(bytes[position + 2]) : 0
                let word = UInt32(bytes[position]) << 16 | second << 8 | third
                output.append(digits[Int(word >> 18)])
                output.append(digits[Int(word >> 12 & 63)])
                output.append(rest > 1 ? digits[Int(word >> 6 & 63)] : UInt8(ascii: "="))
                output.append(rest > 2 ? digits[Int(word & 63)] : UInt8(ascii: "="))
                position += 3
            }
        }
    }

    /// Nil if the text is not Base64.
    static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var word: UInt32 = 0
        for position in 0..<end {
            guard let value = value(text[position]) else { return nil }
            word = word << 6 | UInt32(value)
            if position % 4 > 0 {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(6 - position % 4 * 2)))
            }
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x41...0x5A: digit - 0x41
        case 0x61...0x7A: digit - 0x61 + 26
        case 0x30...0x39: digit - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
