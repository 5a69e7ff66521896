/// Numbers the distinct values of a column in the order in which they first appear.
///
/// A hash table with open addressing. Its slots hold the numbers of groups, and each group holds a
/// word that nearly always decides: the rank of a packed number, or the hash of bytes, which are
/// compared as well. Memory grows with the number of distinct values, not with that of the rows.
struct GroupKeys: ~Copyable {
    /// A number that no group has.
    static let none = UInt32.max

    let kind: ColumnKind
    private var slots = OwnedBuffer<UInt32>(count: Self.leastSlots) { _ in Self.none }
    private var slotCount = Self.leastSlots
    /// The rank or the hash of each group's value; 0 for null.
    private var words: [UInt64] = []
    /// The bytes of all values, one after the other, and where those of each group end. Empty for
    /// packed numbers.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var null = Self.none

    private static let leastSlots = 64

    init(kind: ColumnKind) { self.kind = kind }

    /// The number of groups.
    var count: Int { words.count }

    // MARK: Finding

    /// Returns the group of a value, which is made if there is none.
    mutating func group(of value: Scalar) -> UInt32 {
        switch value {
        case .null: groupOfNull()
        case .integer, .float, .double: group(ofRank: SortRank.of(value))
        case .bytes(let bytes): group(of: bytes)
        case .fixed16(let low, let high):
            withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { group(of: $0) }
        case .fixed12(let low, let high):
            // A tuple of both has padding, which may not be read.
            withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) {
                $0.storeBytes(of: low.littleEndian, as: UInt64.self)
                $0.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt32.self)
                return group(of: UnsafeRawBufferPointer($0))
            }
        }
    }

    /// Returns the group of the value of another table's group, which is made if there is none.
    mutating func group(_ group: Int, of other: borrowing GroupKeys) -> UInt32 {
        if UInt32(group) == other.null { return groupOfNull() }
        if kind.isPacked { return self.group(ofRank: other.words[group]) }
        return other.bytes.withUnsafeBytes {
            self.group(of: UnsafeRawBufferPointer(rebasing: $0[other.range(of: group)]))
        }
    }

    mutating func groupOfNull() -> UInt32 {
        if null == Self.none { null = append(0) }
        return null
    }

    /// Returns the group of a number by its rank. NaN has one rank, and so have both zeros.
    @inline(__always)
    mutating func group(ofRank rank: UInt64) -> UInt32 {
        var slot = Self.slot(rank, of: slotCount)
        while slots[slot] != Self.none {
            if words[Int(slots[slot])] == rank { return slots[slot] }
            slot = (slot &+ 1) & (slotCount &- 1)
        }
        return insert(rank, at: slot)
    }

    private mutating func group(of value: UnsafeRawBufferPointer) -> UInt32 {
        let hash = Checksum.hash(value, seed: 0)
        var slot = Self.slot(hash, of: slotCount)
        while slots[slot] != Self.none {
            let group = Int(slots[slot])
            if words[group] == hash, isEqual(group, value) { return slots[slot] }
            slot = (slot &+ 1) & (slotCount &- 1)
        }
        bytes.append(contentsOf: value)
        return insert(hash, at: slot)
    }

    private func isEqual(_ group: Int, _ value: UnsafeRawBufferPointer) -> Bool {
        let range = range(of: group)
        return range.count == value.count
            && bytes.withUnsafeBytes {
                compareBytes(UnsafeRawBufferPointer(rebasing: $0[range]), value) == 0
            }
    }

    private func range(of group: Int) -> Range<Int> {
        (group == 0 ? 0 : ends[group - 1])..<ends[group]
    }

    /// Spreads ranks, which often differ in a few bits only. Hashes do not need it.
    @inline(__always)
    private static func slot(_ word: UInt64, of slotCount: Int) -> Int {
        let spread = word &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: spread &>> 32) & (slotCount &- 1)
    }

    // MARK: Growing

    @inline(never)
    private mutating func insert(_ word: UInt64, at slot: Int) -> UInt32 {
        let group = append(word)
        slots[slot] = group
        if count > slotCount / 2 { grow() }
        return group
    }

    private mutating func append(_ word: UInt64) -> UInt32 {
        let group = UInt32(count)
        words.append(word)
        if !kind.isPacked { ends.append(bytes.count) }
        return group
    }

    private mutating func grow() {
        slotCount *= 2
        slots = OwnedBuffer(count: slotCount) { _ in Self.none }
        for (group, word) in words.enumerated() where UInt32(group) != null {
            var slot = Self.slot(word, of: slotCount)
            while slots[slot] != Self.none { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = UInt32(group)
        }
    }

    // MARK: Order

    /// Calls `body` with each group and its value, in the order of the values: null, NaN, numbers;
    /// bytes by their order.
    func forEachInOrder(_ body: (_ group: Int, _ value: OwnedScalar) -> Void) {
        if null != Self.none { body(Int(null), .null) }
        bytes.withUnsafeBytes { bytes in
            var entries: [GroupEntry] = []
            entries.reserveCapacity(count)
            for (group, word) in words.enumerated() where UInt32(group) != null {
                if kind.isPacked {
                    entries.append(GroupEntry(rank: word, group: UInt32(group)))
                } else {
                    let value = UnsafeRawBufferPointer(rebasing: bytes[range(of: group)])
                    entries.append(
                        GroupEntry(rank: SortRank.of(value), group: UInt32(group), bytes: value))
                }
            }
            entries.sortByRank(ranksDecide: kind.isPacked)
            for entry in entries { body(Int(entry.group), value(of: entry)) }
        }
    }

    private func value(of entry: GroupEntry) -> OwnedScalar {
        let image = Int64(bitPattern: entry.rank ^ 1 << 63)
        switch kind {
        case .integer: return .integer(image)
        case .double: return .double(Self.number(entry.rank, image))
        case .float: return .float(Float(Self.number(entry.rank, image)))
        case .bytes: return .bytes(Array(entry.bytes))
        case .fixed16: return .fixed16(entry.word(at: 0), entry.word(at: 8))
        case .fixed12:
            let high = entry.bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
            return .fixed12(entry.word(at: 0), UInt32(littleEndian: high))
        }
    }

    private static func number(_ rank: UInt64, _ image: Int64) -> Double {
        rank == 0 ? .nan : PackedNumbers.double(image: image)
    }
}

/// A group in an order by its value. Numbers are told apart by their ranks.
private struct GroupEntry: RankedEntry {
    var rank: UInt64
    var group: UInt32
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    func precedes(_ other: GroupEntry) -> Bool {
        rank != other.rank ? rank < other.rank : compareBytes(bytes, other.bytes) < 0
    }

    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
