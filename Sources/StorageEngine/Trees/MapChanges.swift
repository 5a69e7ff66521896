/// A change of one entry of a map.
protocol MapChange: RankedEntry {
    var first: OrderedMap.FirstKey { get }
    /// Twice the second key, plus one if the entry is to be removed.
    var image: Int64 { get }
    /// Whether the first keys are equal, given equal ranks.
    func hasFirst(of other: Self) -> Bool
}

extension MapChange {
    var second: Int64 { image >> 1 }
    var isRemoval: Bool { image & 1 != 0 }

    func isOfSameEntry(as other: Self) -> Bool {
        rank == other.rank && second == other.second && hasFirst(of: other)
    }
}

/// A change of a map whose first keys are integers.
struct IntegerChange: MapChange {
    var rank: UInt64
    var image: Int64

    var first: OrderedMap.FirstKey { .integer(Int64(bitPattern: rank ^ 1 << 63)) }

    func hasFirst(of other: IntegerChange) -> Bool { true }

    @inline(__always)
    func precedes(_ other: IntegerChange) -> Bool {
        rank != other.rank ? rank < other.rank : image < other.image
    }
}

/// A change of a map whose first keys are bytes. The rank is the first eight bytes.
struct BytesChange: MapChange {
    var rank: UInt64
    var image: Int64
    var length: Int
    /// The location of the bytes, set only while changes are sorted and applied.
    var start: UnsafeRawPointer?

    private var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: length)
    }

    var first: OrderedMap.FirstKey { .bytes(bytes) }

    func hasFirst(of other: BytesChange) -> Bool {
        length == other.length && compareBytes(bytes, other.bytes) == 0
    }

    func precedes(_ other: BytesChange) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let order = compareBytes(bytes, other.bytes)
        return order != 0 ? order < 0 : image < other.image
    }
}

/// Entries to be added to a map and removed from it. They are gathered in any order and applied in
/// the map's order (``OrderedMap/make(_:_:in:treeID:limitingMemory:)``), so that each leaf is
/// visited once for all of them.
struct MapChanges {
    private let kind: ColumnKind
    private var integers: [IntegerChange] = []
    private var strings: [BytesChange] = []
    /// The first keys of `strings`, concatenated.
    private var bytes: [UInt8] = []

    init(firstKeyKind: ColumnKind) { kind = firstKeyKind }

    var isEmpty: Bool { integers.isEmpty && strings.isEmpty }

    /// The memory that the changes take.
    var byteCount: Int {
        integers.count &* MemoryLayout<IntegerChange>.stride
            &+ strings.count &* MemoryLayout<BytesChange>.stride &+ bytes.count
    }

    /// Adds a change. `second` is at least 0 and takes at most 62 bits, as object keys do.
    @inline(__always)
    mutating func append(_ first: OrderedMap.FirstKey, _ second: Int64, isRemoval: Bool) {
        let image = second &<< 1 | (isRemoval ? 1 : 0)
        switch first {
        case .integer(let key):
            integers.append(IntegerChange(rank: SortRank.of(key), image: image))
        case .bytes(let key):
            strings.append(
                BytesChange(rank: SortRank.of(key), image: image, length: key.count, start: nil))
            bytes.append(contentsOf: key)
        }
    }

    /// Removes all changes, but keeps the memory if it is no more than a small transaction needs.
    mutating func removeAll() {
        let isSmall =
            integers.capacity * MemoryLayout<IntegerChange>.stride
            + strings.capacity * MemoryLayout<BytesChange>.stride + bytes.capacity <= 64 << 10
        integers.removeAll(keepingCapacity: isSmall)
        strings.removeAll(keepingCapacity: isSmall)
        bytes.removeAll(keepingCapacity: isSmall)
    }

    /// Calls one of the bodies with the changes in the map's order, at most one for each entry.
    mutating func withSorted(
        integers visitIntegers: (UnsafeBufferPointer<IntegerChange>) throws(StorageError) -> Void,
        strings visitStrings: (UnsafeBufferPointer<BytesChange>) throws(StorageError) -> Void
    ) throws(StorageError) {
        if kind == .integer {
            integers.sortByRank(ranksDecide: false)
            integers.cancelOut()
            return try integers.withUnsafeBufferPointer(visitIntegers)
        }
        let keys = bytes
        try keys.withBytes { keys throws(StorageError) in
            var start = 0
            for index in strings.indices {
                strings[index].start = keys.baseAddress.map { $0 + start }
                start += strings[index].length
            }
            strings.sortByRank(ranksDecide: false)
            strings.cancelOut()
            try strings.withUnsafeBufferPointer(visitStrings)
        }
    }
}

extension Array where Element: MapChange {
    /// Reduces sorted changes to one for each entry whose additions and removals differ in number,
    /// and to none for other entries.
    fileprivate mutating func cancelOut() {
        var kept = 0
        var start = 0
        while start < count {
            var added = 0
            var end = start
            repeat {
                added += self[end].isRemoval ? -1 : 1
                end += 1
            } while end < count && self[end].isOfSameEntry(as: self[start])
            if added != 0 {
                // Additions of an entry are sorted before its removals.
                self[kept] = added > 0 ? self[start] : self[end - 1]
                kept += 1
            }
            start = end
        }
        removeLast(count - kept)
    }
}
