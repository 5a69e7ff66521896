/// The blocks of the shared memory.
///
/// Addresses are reserved for all of them. A file has one block at first, and gets the next one
/// when all process slots or all pin slots are in use. So the lock files of many databases with few
/// users stay small. No process accesses a block that the file does not have.
extension SharedRegion {
    /// The size of a block in bytes, a multiple of the page size. The first block begins with the
    /// words that exist only once.
    static let blockSize = 32 << 10
    static let mostBlocks = 16
    /// The size of the reserved address range in bytes.
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

    /// Returns the number of blocks for a file of this size: those that it has, including a last
    /// one that is incomplete, but at least one.
    static func blocks(toHold byteCount: UInt64) -> Int {
        let bounded = Int(min(byteCount, UInt64(size)))
        return max((bounded + blockSize - 1) / blockSize, 1)
    }

    /// Returns the number of blocks that are needed for this process slot to exist.
    static func blocks(toHoldProcessSlot index: Int) -> Int { index / processSlotsPerBlock + 1 }

    /// Returns the number of process slots in the first `count` blocks.
    static func processSlots(inBlocks count: Int) -> Int { count * processSlotsPerBlock }

    /// Returns the number of pin slots in the first `count` blocks.
    static func pinSlots(inBlocks count: Int) -> Int {
        pinSlotsInFirstBlock + (count - 1) * pinSlotsPerBlock
    }

    /// The number of blocks, within bounds whatever the file says.
    var presentBlocks: Int { min(max(Int(blockCount.loadSequential()), 1), Self.mostBlocks) }

    // The limit is read before the number of blocks. The process that raised it had already seen
    // the blocks for it.

    /// The number of process slots that may have been used.
    var usedProcessSlots: Int {
        let limit = Int(processSlotLimit.loadSequential())
        return min(limit, Self.processSlots(inBlocks: presentBlocks))
    }

    /// The number of pin slots that may have been used.
    var usedPinSlots: Int {
        let limit = Int(pinSlotLimit.loadSequential())
        return min(limit, Self.pinSlots(inBlocks: presentBlocks))
    }

    /// Returns a process slot. Its block must exist.
    func processSlot(_ index: Int) -> ProcessSlot {
        let (block, place) = index.quotientAndRemainder(dividingBy: Self.processSlotsPerBlock)
        let start = block * Self.blockSize + (block == 0 ? Self.pageSize : 0)
        return ProcessSlot(base: base + start + place * Self.processSlotSize)
    }

    /// Returns a pin slot. Its block must exist.
    func pinSlot(_ index: Int) -> PinSlot {
        if index < Self.pinSlotsInFirstBlock {
            return PinSlot(base: base + 2 * Self.pageSize + index * Self.pinSlotSize)
        }
        let (block, place) = (index - Self.pinSlotsInFirstBlock)
            .quotientAndRemainder(dividingBy: Self.pinSlotsPerBlock)
        let start = (block + 1) * Self.blockSize + Self.pageSize
        return PinSlot(base: base + start + place * Self.pinSlotSize)
    }

    /// Raises a word that other threads and processes may raise at the same time.
    static func raise(_ word: UnsafeMutablePointer<UInt32>, to value: UInt32) {
        var known = word.loadSequential()
        while known < value, !word.compareExchange(expected: known, desired: value) {
            known = word.loadSequential()
        }
    }

    // MARK: Growing

    /// Extends the file to `count` blocks, and publishes the number. `lockFile` is -1 for private
    /// memory, which has all blocks from the beginning. Threads that share the descriptor must not
    /// call this at the same time.
    ///
    /// Only one process at a time extends the file. Where blocks cannot be allocated, zeros are
    /// written, and a second process would write them over slots that are already in use. A process
    /// that is killed here leaves a file that is longer than the published number, and the next one
    /// repeats the work.
    func grow(toBlocks count: Int, lockFile: Int32) throws(SystemFailure) {
        precondition(count <= Self.mostBlocks, "no more blocks than there are addresses for")
        if presentBlocks >= count { return }
        if lockFile >= 0 {
            try System.lock(lockFile, .exclusive, on: LockRanges.growing)
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

    /// Allocates blocks of the file, so that storing into the mapping cannot fail on a full disk.
    /// Writes zeros if the file system cannot allocate.
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
