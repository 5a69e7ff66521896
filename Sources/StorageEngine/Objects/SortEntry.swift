/// One object in an order by a column. Nulls are no entries: they come first or last as a whole.
protocol SortEntry: BitwiseCopyable {
    var key: ObjectKey { get }
    /// A number that orders entries; equal ones may need `precedes`. Descending orders turn its
    /// bits.
    var rank: UInt64 { get }
    /// The whole order, object keys included.
    func precedes(_ other: Self) -> Bool
}

/// An object and its number.
struct NumberEntry: SortEntry {
    var rank: UInt64
    var key: ObjectKey

    @inline(__always)
    func precedes(_ other: NumberEntry) -> Bool {
        rank != other.rank ? rank < other.rank : key.rawValue < other.key.rawValue
    }
}

/// An object and its bytes, which stay where they are. The rank is the first eight of them.
struct BytesEntry: SortEntry {
    var rank: UInt64
    var key: ObjectKey
    var bytes: UnsafeRawBufferPointer
    var isDescending: Bool

    func precedes(_ other: BytesEntry) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let order = Node.compare(bytes, other.bytes)
        if order != 0 { return (order < 0) != isDescending }
        return key.rawValue < other.key.rawValue
    }
}

/// Ranks: unsigned numbers in the order of values.
enum SortRank {
    @inline(__always)
    static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

    /// NaN before all numbers, both zeros alike.
    @inline(__always)
    static func of(_ number: Double) -> UInt64 {
        number.isNaN ? 0 : of(PackedNumbers.image(number == 0 ? 0 : number))
    }

    /// Of the default of a column of numbers.
    static func of(_ number: Scalar) -> UInt64 {
        switch number {
        case .integer(let number): of(number)
        case .double(let number): of(number)
        case .float(let number): of(Double(number))
        default: 0
        }
    }

    /// The first eight bytes, or zeros behind the last.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var rank: UInt64 = 0
        for byte in bytes { rank = rank << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : rank << UInt64(64 - bytes.count * 8)
    }
}

extension Array where Element: SortEntry {
    /// Sorts entries that come in the order of their keys: byte by byte of the rank, leaving out
    /// bytes in which all agree, then by comparison where ranks are equal.
    mutating func sortByRank(ranksDecide: Bool) {
        guard count > 1 else { return }
        var differing: UInt64 = 0
        for entry in self { differing |= entry.rank ^ self[0].rank }
        var other = self
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
            scatter(into: &other, shift: shift)
            swap(&self, &other)
        }
        if !ranksDecide { sortEqualRanks() }
    }

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
            while end < count, self[end].rank == self[start].rank { end += 1 }
            if end - start > 1 { self[start..<end].sort { $0.precedes($1) } }
            start = end
        }
    }
}
