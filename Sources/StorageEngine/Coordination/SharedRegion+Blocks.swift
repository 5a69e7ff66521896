/// The blocks that shared memory is made of.
///
/// Addresses are reserved for all of them. A file has one at first and gets the next one when a
/// kind of slot is used up, so that the lock files of many databases with few users stay small.
/// Nobody touches a block that the file does not have.
extension SharedRegion {
    /// Bytes of a block: whole pages. In front of the slots of the first one are the words that are
    /// there once.
    static let blockSize = 32 << 10
    static let mostBlocks = 16
    /// Bytes of addresses.
    static let size = mostBlocks * blockSize

    static let pageSize = 4096
    private static let processSlotSize = 64
    private static let processSlotsPerBlock = pageSize / processSlotSize
    private static let pinSlotSize = 32
    private static let pinSlotsInFirstBlock = (blockSize - 2 * pageSize) / pinSlotSize
    private static let pinSlotsPerBlock = (blockSize - pageSize) / pinSlotSize

    /// 1,024.
    static let processSlotCount = mostBlocks * processSlotsPerBlock
    /// 14,208.
    static let pinSlotCount = pinSlots(inBlocks: mostBlocks)

    /// How many blocks a file of that size is to have: those that it has, the last of which may be
    /// cut off, but one at least.
    static func blocks(toHold byteCount: UInt64) -> Int {
        let bounded = Int(min(byteCount, UInt64(size)))
        return max((bounded + blockSize - 1) / blockSize, 1)
    }

    /// How many blocks there are if this process slot is there.
    static func blocks(toHoldProcessSlot index: Int) -> Int { index / processSlotsPerBlock + 1 }

    /// How many process slots lie in the first blocks.
    static func processSlots(inBlocks count: Int) -> Int { count * processSlotsPerBlock }

    /// How many pin slots lie in the first blocks.
    static func pinSlots(inBlocks count: Int) -> Int {
        pinSlotsInFirstBlock + (count - 1) * pinSlotsPerBlock
    }

    /// Bounded whatever is stored in the file.
    var presentBlocks: Int { min(max(Int(blockCount.loadSequential()), 1), Self.mostBlocks) }

    // The limit first: whoever raised it had seen the blocks that it needs.

    /// Process slots that may have been used.
    var usedProcessSlots: Int {
        let limit = Int(processSlotLimit.loadSequential())
        return min(limit, Self.processSlots(inBlocks: presentBlocks))
    }

    /// Pin slots that may have been used.
    var usedPinSlots: Int {
        let limit = Int(pinSlotLimit.loadSequential())
        return min(limit, Self.pinSlots(inBlocks: presentBlocks))
    }

    /// Only of a block that is there.
    func processSlot(_ index: Int) -> ProcessSlot {
        let (block, place) = index.quotientAndRemainder(dividingBy: Self.processSlotsPerBlock)
        let start = block * Self.blockSize + (block == 0 ? Self.pageSize : 0)
        return ProcessSlot(base: base + start + place * Self.processSlotSize)
    }

    /// Only of a block that is there.
    func pinSlot(_ index: Int) -> PinSlot {
        if index < Self.pinSlotsInFirstBlock {
            return PinSlot(base: base + 2 * Self.pageSize + index * Self.pinSlotSize)
        }
        let (block, place) = (index - Self.pinSlotsInFirstBlock)
            .quotientAndRemainder(dividingBy: Self.pinSlotsPerBlock)
        let start = (block + 1) * Self.blockSize + Self.pageSize
        return PinSlot(base: base + start + place * Self.pinSlotSize)
    }

    /// Raises a word that others may raise as well.
    static func raise(_ word: UnsafeMutablePointer<UInt32>, to value: UInt32) {
        var known = word.loadSequential()
        while known < value, !word.compareExchange(expected: known, desired: value) {
            known = word.loadSequential()
        }
    }

    // MARK: Growing

    /// Makes the file longer, then says so. `lockFile`: -1 for private memory, all of which is
    /// there. Threads that share the descriptor take turns.
    ///
    /// One process at a time does this: where blocks are written because they cannot be allocated,
    /// a second one would write zeros over slots that are in use already. Whoever is killed here
    /// leaves a file that is longer than it says; the next one does the same again.
    func grow(toBlocks count: Int, lockFile: Int32) throws(SystemFailure) {
        precondition(count <= Self.mostBlocks, "no more blocks than there are addresses for")
        if presentBlocks >= count { return }
        if lockFile >= 0 {
            try System.lock(lockFile, .exclusive, LockRanges.growing)
            defer { try? System.unlock(lockFile, LockRanges.growing) }
            let present = presentBlocks
            if present >= count { return }
            if planted(.countsBlocksEarly) { Self.raise(blockCount, to: UInt32(count)) }
            try Self.allocate(lockFile, blocks: present..<count)
            Self.raise(blockCount, to: UInt32(count))
        } else {
            Self.raise(blockCount, to: UInt32(count))
        }
    }

    /// Allocates blocks of the file, so that storing into the mapping cannot fail on a full disk;
    /// writes zeros into them where the file system cannot allocate.
    static func allocate(_ lockFile: Int32, blocks: Range<Int>) throws(SystemFailure) {
        do throws(SystemFailure) {
            try System.allocate(
                lockFile, offset: UInt64(blocks.lowerBound * blockSize),
                length: UInt64(blocks.count * blockSize))
        } catch {
            guard error.isUnsupported else { throw error }
            try fill(lockFile, blocks: blocks)
        }
    }

    private static func fill(_ lockFile: Int32, blocks: Range<Int>) throws(SystemFailure) {
        var words = [UInt64](
            repeating: 0, count: blocks.count * blockSize / MemoryLayout<UInt64>.size)
        if blocks.lowerBound == 0 { words[0] = magic }
        let result = words.withUnsafeBytes { bytes in
            Result { () throws(SystemFailure) in
                try System.write(lockFile, bytes, at: UInt64(blocks.lowerBound * blockSize))
            }
        }
        try result.get()
    }
}
