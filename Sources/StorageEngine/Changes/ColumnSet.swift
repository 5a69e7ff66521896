/// A set of column ids (``Table/columnID(_:)``).
public struct ColumnSet: Equatable, Sendable {
    /// The bits of the ids below 64. Nearly all tables need no others, and no separate memory.
    private var low: UInt64 = 0
    /// The bits of the ids from 64 on, without trailing zero words.
    private var high: [UInt64] = []

    public init() {}

    init(_ id: UInt16) { insert(id) }

    public var isEmpty: Bool { low == 0 && high.isEmpty }

    public func contains(_ id: UInt16) -> Bool {
        let (word, bit) = Self.place(id)
        if word == 0 { return low & bit != 0 }
        return word <= high.count && high[word - 1] & bit != 0
    }

    mutating func insert(_ id: UInt16) {
        let (word, bit) = Self.place(id)
        if word == 0 {
            low |= bit
            return
        }
        while high.count < word { high.append(0) }
        high[word - 1] |= bit
    }

    mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for word in other.high.indices { high[word] |= other.high[word] }
    }

    /// The ids in ascending order.
    public var ids: [UInt16] {
        var ids: [UInt16] = []
        for (word, bits) in ([low] + high).enumerated() {
            var rest = bits
            while rest != 0 {
                ids.append(UInt16(word * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return ids
    }

    private static func place(_ id: UInt16) -> (word: Int, bit: UInt64) {
        (Int(id) / 64, 1 << UInt64(id % 64))
    }
}
