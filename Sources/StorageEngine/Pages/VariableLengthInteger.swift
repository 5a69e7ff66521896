/// Unsigned integers in base 128, least significant group first (LEB128): small numbers, as the
/// distances between extents mostly are, take one byte.
enum VariableLengthInteger {
    /// The most bytes one value can take: ⌈64 / 7⌉.
    static let maximumByteCount = 10

    static func byteCount(of value: UInt64) -> Int {
        let bits = UInt64.bitWidth - (value | 1).leadingZeroBitCount
        return (bits + 6) / 7
    }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads variable-length integers from bytes that nobody vouches for.
struct VariableLengthIntegerReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    /// The next value, or nil where the bytes end early or the value exceeds 64 bits.
    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            let group = UInt64(byte & 0x7F)
            if shift == 63, group > 1 { return nil }
            value |= group << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
