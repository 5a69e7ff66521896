/// Unsigned integers in base 128, least significant group first (LEB128). Small numbers, such as
/// most distances between extents, take one byte.
enum VariableLengthInteger {
    /// The most bytes of one value: ⌈64 / 7⌉.
    static let maximumByteCount = 10

    static func byteCount(of value: UInt64) -> Int {
        let bits = UInt64.bitWidth - (value | 1).leadingZeroBitCount
        return (bits + 6) / 7
    }

    /// Appends a signed integer with its sign folded into the lowest bit, so that small magnitudes
    /// are short.
    static func append(signed value: Int64, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
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

/// A reader of variable-length integers, and of the bytes between them, for untrusted bytes.
struct VariableLengthIntegerReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    /// Returns the next `count` bytes, or nil if fewer remain.
    mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer? {
        guard count <= UInt64(remaining) else { return nil }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
    }

    /// Returns the next little-endian number of fixed size, or nil.
    mutating func fixed<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
        take(UInt64(MemoryLayout<T>.size)).map { T(littleEndian: $0.loadUnaligned(as: T.self)) }
    }

    /// Returns the next value, or nil if the bytes end early or the value exceeds 64 bits.
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

    /// Returns the next signed value, or nil.
    mutating func nextSigned() -> Int64? {
        next().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
