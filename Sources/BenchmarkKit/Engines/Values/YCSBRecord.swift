import ToolSupport

/// The data of YCSB: keys that are hashes of numbers, and ten fields of 100 bytes.
///
/// The value of a field is a function of its position and a stamp. It contains the stamp, so that a
/// stored value can be verified by itself.
enum YCSBRecord {
    static let fieldCount = 10
    static let fieldBytes = 100
    /// The stamp of loaded values.
    static let loaded: UInt64 = 0

    /// Returns YCSB's hash of a number: the absolute value of FNV-1a (Fowler, Noll and Vo) over its
    /// eight bytes in little-endian order.
    static func hash(_ number: Int) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            state = (state ^ (rest & 0xFF)) &* 1_099_511_628_211
            rest >>= 8
        }
        return Int64(bitPattern: state).magnitude
    }

    static func key(_ number: Int) -> String { "user\(hash(number))" }

    private static func place(_ record: Int, _ field: Int, _ seed: UInt64) -> UInt64 {
        mix64(seed &+ mix64(UInt64(record) &* 16 &+ UInt64(field)))
    }

    /// Writes the value of a field into `value`, which must have `fieldBytes` bytes.
    static func fill(
        _ value: inout [UInt8], record: Int, field: Int, stamp: UInt64, seed: UInt64
    ) {
        precondition(value.count == fieldBytes)
        let place = place(record, field, seed)
        let head = place ^ stamp
        var generator = SeededGenerator(seed: place &+ mix64(head))
        value.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: head.littleEndian, as: UInt64.self)
            for offset in stride(from: 8, to: fieldBytes, by: 8) {
                var word = generator.next().littleEndian
                withUnsafeBytes(of: &word) {
                    let length = min(8, fieldBytes - offset)
                    UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + length])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<length]))
                }
            }
        }
    }

    static func value(record: Int, field: Int, stamp: UInt64, seed: UInt64) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: fieldBytes)
        fill(&value, record: record, field: field, stamp: stamp, seed: seed)
        return value
    }

    static func fields(record: Int, stamp: UInt64, seed: UInt64) -> [[UInt8]] {
        (0..<fieldCount).map { value(record: record, field: $0, stamp: stamp, seed: seed) }
    }

    /// Returns the stamp of a value that was generated for this position, or nil for any other
    /// value.
    static func stamp(of value: [UInt8], record: Int, field: Int, seed: UInt64) -> UInt64? {
        guard value.count == fieldBytes else { return nil }
        var head: UInt64 = 0
        for byte in value[..<8].reversed() { head = head << 8 | UInt64(byte) }
        let stamp = head ^ place(record, field, seed)
        return self.value(record: record, field: field, stamp: stamp, seed: seed) == value
            ? stamp : nil
    }

    static func digestRow(_ key: String, _ fields: [[UInt8]]) -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(key.utf8)
        for field in fields { row.combine(field) }
        return row
    }
}
