/// What is sorted by a number first.
protocol RankedEntry: BitwiseCopyable {
    /// A number that orders entries; equal ones may need `precedes`.
    var rank: UInt64 { get }
    /// The whole order.
    func precedes(_ other: Self) -> Bool
}

/// Ranks: unsigned numbers in the order of values.
enum SortRank {
    @inline(__always)
    static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

    /// The first eight bytes, or zeros behind the last.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var rank: UInt64 = 0
        for byte in bytes { rank = rank << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : rank << UInt64(64 - bytes.count * 8)
    }
}

extension Array where Element: RankedEntry {
    /// Sorts entries byte by byte of the rank, leaving out bytes in which all agree, then by
    /// comparison where ranks are equal; unless ranks decide, because such entries come in order.
    mutating func sortByRank(ranksDecide: Bool) {
        guard count > Self.fewEntries else { return sort { $0.precedes($1) } }
        var differing: UInt64 = 0
        for entry in self { differing |= entry.rank ^ self[0].rank }
        var other = self
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
            scatter(into: &other, shift: shift)
            swap(&self, &other)
        }
        if !ranksDecide { sortEqualRanks() }
    }

    /// So many are compared faster than they are counted.
    private static var fewEntries: Int { 64 }

    /// One pass of a radix sort, which keeps the order of equal bytes.
    private func scatter(into target: inout [Element], shift: UInt64) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
            next.update(repeating: 0)
            for entry in self { next[Int(entry.rank &>> shift & 0xFF)] &+= 1 }
            var start = 0
            for byte in 0..<256 {
                let count = next[byte]
                next[byte] = start
                start += count
            }
            target.withUnsafeMutableBufferPointer { target in
                for entry in self {
                    let byte = Int(entry.rank &>> shift & 0xFF)
                    target[next[byte]] = entry
                    next[byte] &+= 1
                }
            }
        }
    }

    private mutating func sortEqualRanks() {
        var start = 0
        while start < count {
            var end = start + 1
            var isInOrder = true
            while end < count, self[end].rank == self[start].rank {
                if isInOrder, !self[end - 1].precedes(self[end]) { isInOrder = false }
                end += 1
            }
            // Often they come in the order of their keys. Sorting a part copies it.
            if !isInOrder { self[start..<end].sort { $0.precedes($1) } }
            start = end
        }
    }
}
