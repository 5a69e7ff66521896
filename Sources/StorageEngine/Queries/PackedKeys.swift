/// Object keys in some order, in blocks. A block stores the distance of each key from the least
/// one, in as many bytes as the largest distance takes. Consecutive keys take no bytes at all.
///
/// Access by position is O(1), or O(log n) once some keys were replaced.
public struct PackedKeys: Sendable {
    /// The largest number of keys in a block. With it, the keys of an ascending result that has one
    /// object in 128 take 2 bytes each.
    static let blockCapacity = 512

    private(set) var blocks: ContiguousArray<KeyBlock> = []
    /// The position of each block's first key.
    private(set) var starts: ContiguousArray<Int> = []
    public private(set) var count = 0

    public init() {}

    public init(_ keys: [ObjectKey]) {
        self.init(
            keys.withUnsafeBufferPointer {
                $0.withMemoryRebound(to: Int64.self) { KeyBlock.blocks(of: $0) }
            })
    }

    init(_ blocks: ContiguousArray<KeyBlock>) {
        self.blocks = blocks
        starts = ContiguousArray(repeating: 0, count: blocks.count)
        updateStarts(from: 0)
    }

    // MARK: Reading

    /// The key at a position, which must be in range.
    public subscript(position: Int) -> ObjectKey {
        precondition(position >= 0 && position < count, "position out of range")
        let block = block(at: position)
        return ObjectKey(rawValue: blocks[block].key(position - starts[block]))
    }

    /// The index of the block that contains a position.
    func block(at position: Int) -> Int {
        // Correct until something before the position is replaced.
        let guess = position / Self.blockCapacity
        if guess < blocks.count, starts[guess] <= position,
            position < starts[guess] + blocks[guess].count
        {
            return guess
        }
        return starts.partitionPoint { $0 <= position } - 1
    }

    /// All keys in order.
    public var unpacked: ContiguousArray<Int64> {
        // Not made in the way below: all threads share the empty array (``KeyBlock``).
        if count == 0 { return [] }
        return ContiguousArray(unsafeUninitializedCapacity: count) { keys, initialized in
            for (block, start) in zip(blocks, starts) {
                block.unpack(to: keys.baseAddress.unsafelyUnwrapped + start)
            }
            initialized = count
        }
    }

    public var keys: [ObjectKey] { unpacked.map { ObjectKey(rawValue: $0) } }

    /// The number of blocks, for visiting all keys block by block.
    public var blockCount: Int { blocks.count }

    /// Appends the keys of a block.
    public func append(block: Int, to keys: inout ContiguousArray<Int64>) {
        let (block, end) = (blocks[block], keys.count)
        keys.append(contentsOf: repeatElement(0, count: block.count))
        keys.withUnsafeMutableBufferPointer {
            block.unpack(to: $0.baseAddress.unsafelyUnwrapped + end)
        }
    }

    /// The first position of a key; nil if it is not present.
    public func firstPosition(of key: ObjectKey) -> Int? {
        for (block, start) in zip(blocks, starts) {
            if let offset = block.firstPosition(of: key.rawValue) { return start + offset }
        }
        return nil
    }

    /// The number of keys less than `key`; the keys must ascend.
    func lowerBound(_ key: Int64) -> Int {
        let block = blocks.partitionPoint { $0.least < key } - 1
        return block < 0 ? 0 : starts[block] + blocks[block].lowerBound(key)
    }

    /// The memory that the keys take, in bytes.
    public var byteCount: Int {
        let perBlock = MemoryLayout<KeyBlock>.stride + MemoryLayout<Int>.stride
        return blocks.reduce(0) { $0 + perBlock + $1.byteCount }
    }

    // MARK: Changing

    /// Keys that replace those at some positions.
    struct Replacement {
        /// The positions of the replaced keys, before any replacement.
        var positions: Range<Int>
        var keys: ArraySlice<Int64>
    }

    /// Applies replacements whose positions ascend. Only blocks in which something changes are
    /// packed again.
    mutating func replace(_ replacements: [Replacement]) {
        var firstChanged = blocks.count
        // From the end, so that positions of earlier replacements stay valid. Starts of later
        // blocks become stale, but none of those blocks contains a position still to be replaced.
        for replacement in replacements.reversed() where !isAlready(replacement) {
            firstChanged = min(firstChanged, replace(replacement))
        }
        updateStarts(from: firstChanged)
    }

    private func isAlready(_ replacement: Replacement) -> Bool {
        guard replacement.positions.count == replacement.keys.count else { return false }
        return zip(replacement.positions, replacement.keys).allSatisfy {
            self.key(at: $0) == $1
        }
    }

    private func key(at position: Int) -> Int64 {
        let block = block(at: position)
        return blocks[block].key(position - starts[block])
    }

    /// Returns the index of the first changed block.
    private mutating func replace(_ replacement: Replacement) -> Int {
        let positions = replacement.positions
        guard !blocks.isEmpty else {
            blocks = replacement.keys.withUnsafeBufferPointer { KeyBlock.blocks(of: $0) }
            starts = ContiguousArray(repeating: 0, count: blocks.count)
            return 0
        }
        let first = max(0, starts.partitionPoint { $0 <= positions.lowerBound } - 1)
        var last = first
        while last + 1 < blocks.count,
            starts[last] + blocks[last].count < positions.upperBound
        {
            last += 1
        }
        var keys: ContiguousArray<Int64> = []
        append(block: first, to: &keys)
        keys.removeSubrange((positions.lowerBound - starts[first])...)
        keys += replacement.keys
        let end = keys.count
        append(block: last, to: &keys)
        keys.removeSubrange(end..<end + positions.upperBound - starts[last])
        // Merges a small block with the next one, so that blocks do not become ever smaller.
        if keys.count < Self.blockCapacity / 4, last + 1 < blocks.count {
            last += 1
            append(block: last, to: &keys)
        }
        var start = starts[first]
        let new = keys.withUnsafeBufferPointer { KeyBlock.blocks(of: $0) }
        blocks.replaceSubrange(first...last, with: new)
        starts.replaceSubrange(first...last, with: repeatElement(0, count: new.count))
        for block in first..<first + new.count {
            starts[block] = start
            start += blocks[block].count
        }
        return first
    }

    private mutating func updateStarts(from first: Int) {
        var next = first == 0 ? 0 : starts[first - 1] + blocks[first - 1].count
        for block in first..<blocks.count {
            starts[block] = next
            next += blocks[block].count
        }
        count = next
    }
}

/// Packs keys one after another.
struct KeyPacker {
    private var blocks: ContiguousArray<KeyBlock> = []
    private var pending: ContiguousArray<Int64> = []

    init() { pending.reserveCapacity(PackedKeys.blockCapacity) }

    @inline(__always)
    mutating func append(_ key: ObjectKey) {
        pending.append(key.rawValue)
        if pending.count == PackedKeys.blockCapacity { pack() }
    }

    @inline(never)
    private mutating func pack() {
        pending.withUnsafeBufferPointer { blocks.append(KeyBlock($0)) }
        pending.removeAll(keepingCapacity: true)
    }

    consuming func finish() -> PackedKeys {
        if !pending.isEmpty { pack() }
        return PackedKeys(blocks)
    }
}
