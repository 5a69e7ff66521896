import StorageEngine

/// Single values as texts: what CSV has in a field, and JSON as a number or between quotes.
enum ScalarWriter {
    /// Appends a value that is no string, no data, no link and no collection; nothing for null.
    @inline(__always)
    static func append(_ value: Scalar, _ type: ValueType, to output: ByteOutput) {
        switch (value, type) {
        case (.integer(let number), .bool):
            if number != 0 { output.append("true") } else { output.append("false") }
        case (.integer(let number), _): output.append(decimal: number)
        case (.double(let seconds), .date): DateText.append(seconds, to: output)
        case (.double(let number), _): NumberText.append(number, to: output)
        case (.float(let number), _): NumberText.append(number, to: output)
        case (.fixed16(let low, let high), .decimal128):
            output.append(text: Decimal128(low: low, high: high).description)
        case (.fixed16(let first, let second), _):
            HexText.append(uuid: first, second, to: output)
        case (.fixed12(let first, let second), _):
            HexText.append(objectID: first, second, to: output)
        case (.bytes(let bytes), .data): Base64Text.append(bytes, to: output)
        case (.bytes(let bytes), _): output.append(bytes)
        case (.null, _): break
        }
    }

    /// Appends a value as JSON.
    @inline(__always)
    static func appendJSON(_ value: Scalar, _ type: ValueType, to output: ByteOutput) {
        switch value {
        case .null: output.append("null")
        case .integer: append(value, type, to: output)
        case .double(let number) where type == .double && number.isFinite:
            NumberText.append(number, to: output)
        case .float(let number) where number.isFinite: NumberText.append(number, to: output)
        case .bytes(let bytes) where type == .string: JSONText.append(string: bytes, to: output)
        case .double, .float, .bytes, .fixed16, .fixed12:
            output.append(UInt8(ascii: "\""))
            append(value, type, to: output)
            output.append(UInt8(ascii: "\""))
        }
    }
}
