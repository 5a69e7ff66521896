/// An entry that is sorted by a number first.
protocol RankedEntry: BitwiseCopyable {
    /// A number that orders entries. Entries of equal rank may need `precedes`.
    var rank: UInt64 { get }
    /// Whether this entry comes before another in the complete order.
    func precedes(_ other: Self) -> Bool
}

/// Conversion of values to ranks: unsigned numbers in the order of the values.
enum SortRank {
    @inline(__always)
    static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

    /// Returns the first eight bytes as a big-endian number, padded with zeros.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var rank: UInt64 = 0
        for byte in bytes { rank = rank << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : rank << UInt64(64 - bytes.count * 8)
    }
}

extension Array where Element: RankedEntry {
    /// Sorts entries with a radix sort of the rank's bytes, skipping bytes in which all entries
    /// agree, and then sorts entries of equal rank by comparison. `ranksDecide` skips the
    /// comparison, because entries of equal rank are already in order.
    ///
    /// - Parameter stop: once it is made, the sort ends soon, and the order is any. Check it after.
    mutating func sortByRank(ranksDecide: Bool, until stop: StopRequest? = nil) {
        guard count > Self.fewEntries else { return sort { $0.precedes($1) } }
        var differing: UInt64 = 0
        for entry in self { differing |= entry.rank ^ self[0].rank }
        var other = self
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
            if stop?.isMade == true { return }
            scatter(into: &other, shift: shift)
            swap(&self, &other)
        }
        if !ranksDecide { sortEqualRanks(until: stop) }
    }

    /// The most entries for which comparing is faster than a radix sort.
    private static var fewEntries: Int { 64 }

    /// One pass of a radix sort. It is stable.
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

    private mutating func sortEqualRanks(until stop: StopRequest?) {
        var start = 0
        while start < count {
            var end = start + 1
            var isInOrder = true
            while end < count, self[end].rank == self[start].rank {
                if isInOrder, !self[end - 1].precedes(self[end]) { isInOrder = false }
                end += 1
            }
            // Entries of equal rank are often in order already, and sorting a slice copies it.
            if !isInOrder { self[start..<end].sort(until: stop) { $0.precedes($1) } }
            start = end
        }
    }
}

extension ArraySlice {
    /// Sorts elements by comparing them. Once the request is made, that ends soon, and the order is
    /// any.
    @inline(__always)
    mutating func sort(until stop: StopRequest?, by precedes: (Element, Element) -> Bool) {
        guard let stop else { return sort(by: precedes) }
        // Where nothing comes before anything else, the rest is in order.
        sort { !stop.isMade && precedes($0, $1) }
    }
}

extension [UInt64] {
    /// Sorts words by their bits in a range, above which all are zero. Words that agree in them
    /// keep their order.
    ///
    /// A radix sort from the lowest digit to the highest, which takes as much memory again.
    mutating func sortStably(byBits bits: Range<Int>) {
        guard !bits.isEmpty, count > 1 else { return }
        let passes = (bits.count + Self.mostDigitBits - 1) / Self.mostDigitBits
        let digitBits = (bits.count + passes - 1) / passes
        var other = [UInt64](unsafeUninitializedCapacity: count) { $1 = count }
        for pass in 0..<passes {
            let bit = bits.lowerBound + pass * digitBits
            scatter(into: &other, byBits: bit..<bit + digitBits)
            swap(&self, &other)
        }
    }

    /// More bits take fewer passes, but the places that a pass writes to no longer fit in the first
    /// cache.
    private static var mostDigitBits: Int { 11 }

    /// One pass of the sort. The last digit may include bits above those that are sorted by.
    private func scatter(into target: inout [UInt64], byBits bits: Range<Int>) {
        let digits = 1 << bits.count
        let (shift, mask) = (UInt64(bits.lowerBound), UInt64(digits) - 1)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: digits) { next in
            next.initialize(repeating: 0)
            for word in self { next[Int(word &>> shift & mask)] &+= 1 }
            var start = 0
            for digit in next.indices {
                let count = next[digit]
                next[digit] = start
                start += count
            }
            target.withUnsafeMutableBufferPointer { target in
                for word in self {
                    let digit = Int(word &>> shift & mask)
                    target[next[digit]] = word
                    next[digit] &+= 1
                }
            }
        }
    }
}
