import ToolSupport

/// A digest of a set of rows that does not depend on their order: the wrapping sum of the hashes of
/// the rows. Strategies, layers and engines that did the same work must agree on it.
struct ResultDigest: Equatable {
    private(set) var value: UInt64 = 0

    /// The hash of one row, computed field by field.
    struct Row {
        private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

        mutating func combine(_ word: UInt64) { state = mix64(state ^ word) }
        mutating func combine(_ number: Int) { combine(UInt64(bitPattern: Int64(number))) }
        mutating func combine(_ number: Double) { combine(number.bitPattern) }

        mutating func combine(_ bytes: some Sequence<UInt8>) {
            var word: UInt64 = 0
            var count: UInt64 = 0
            for byte in bytes {
                word = word << 8 | UInt64(byte)
                count += 1
                if count & 7 == 0 {
                    combine(word)
                    word = 0
                }
            }
            combine(word)
            combine(count)
        }

        var hash: UInt64 { mix64(state) }
    }

    mutating func add(_ row: Row) { value &+= row.hash }
    mutating func add(_ other: ResultDigest) { value &+= other.value }

    /// The digest as 16 hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
