/// The value of a record in byte-oriented engines: the lengths of the ten fields (4 bytes each,
/// little-endian), then the fields.
enum PackedRecord {
    static let fieldCount = 10
    private static let headerBytes = fieldCount * 4

    static func pack(_ fields: [[UInt8]], into buffer: ByteBuffer) {
        buffer.removeAll()
        for field in fields { buffer.append(littleEndian: UInt32(field.count)) }
        for field in fields { buffer.append(field) }
    }

    /// Writes the same record with another value in one field into `buffer`.
    static func pack(
        _ record: UnsafeRawBufferPointer, field: Int, value: [UInt8], into buffer: ByteBuffer
    ) {
        buffer.removeAll()
        for other in 0..<fieldCount {
            buffer.append(
                littleEndian: other == field ? UInt32(value.count) : length(record, other))
        }
        forEachField(record) { other, bytes in
            if other == field { buffer.append(value) } else { buffer.append(bytes) }
        }
    }

    static func firstBytes(_ record: UnsafeRawBufferPointer) -> Int {
        var sum = 0
        forEachField(record) { sum += Int($1.first ?? 0) }
        return sum
    }

    static func fields(_ record: UnsafeRawBufferPointer) -> [[UInt8]] {
        var fields: [[UInt8]] = []
        forEachField(record) { fields.append(Array($1)) }
        return fields
    }

    @inline(__always)
    private static func length(_ record: UnsafeRawBufferPointer, _ field: Int) -> UInt32 {
        record.littleEndian(UInt32.self, at: field * 4)
    }

    @inline(__always)
    private static func forEachField(
        _ record: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) {
        var start = headerBytes
        for field in 0..<fieldCount {
            let end = start + Int(length(record, field))
            body(field, UnsafeRawBufferPointer(rebasing: record[start..<end]))
            start = end
        }
    }
}
