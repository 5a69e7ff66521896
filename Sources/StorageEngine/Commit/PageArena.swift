import Glibc

/// Private memory for runs that a transaction writes or that were decrypted: page aligned, taken
/// piece by piece from slabs, and freed all at once in the end.
///
/// Used by one thread at a time.
struct PageArena {
    /// Room for a small transaction: many of them may wait for the disk at once.
    private static let firstSlabBytes = 64 << 10
    /// Slabs of 1 MiB: the kernel clears memory in large steps.
    private static let slabBytes = 1 << 20
    /// Runs beyond a quarter of a slab get memory of their own.
    private static let largestPooledBytes = slabBytes / 4
    /// What is kept for the next transaction, beside the first slab: 4 MiB.
    private static let keptSlabs = 4

    let pageSize: Int
    /// Bytes of memory that was taken, and of memory that was given back but is only used again for
    /// runs of the same length.
    private(set) var takenBytes = 0
    /// Core dumps leave the memory out, and a forked child finds zeros in it.
    private let isSecret: Bool
    private var slabs: [UnsafeMutableRawPointer] = []
    private var currentSlab = 0
    private var used = 0
    /// Runs given back during the transaction, by number of pages; empty until the first one is.
    private var available: [[UnsafeMutableRawPointer]] = []
    /// Whether any was given back.
    private var hasAvailable = false
    /// Runs with memory of their own, and their lengths in bytes.
    private var separate: [UnsafeMutableRawPointer: Int] = [:]

    init(pageSize: Int, isSecret: Bool = false) {
        self.pageSize = pageSize
        self.isSecret = isSecret
    }

    /// Runs of fewer pages share slabs.
    private var pooledPages: Int { Self.largestPooledBytes / pageSize + 1 }

    /// Returns memory with undefined contents.
    mutating func take(pages: Int) -> UnsafeMutableRawPointer {
        guard pages < pooledPages else {
            let memory = obtain(pages * pageSize)
            separate[memory] = pages * pageSize
            takenBytes += pages * pageSize
            return memory
        }
        if hasAvailable, let memory = available[pages].popLast() { return memory }
        let bytes = pages * pageSize
        while used + bytes > Self.bytes(ofSlab: currentSlab) {
            currentSlab += 1
            used = 0
        }
        while currentSlab >= slabs.count {
            slabs.append(obtain(Self.bytes(ofSlab: slabs.count)))
        }
        defer { used += bytes }
        takenBytes += bytes
        return slabs[currentSlab] + used
    }

    private static func bytes(ofSlab index: Int) -> Int {
        index == 0 ? firstSlabBytes : slabBytes
    }

    private func obtain(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if isSecret {
            // Not from the allocator, which would hand the memory on with these properties.
            guard let memory = try? System.mapSecret(length: byteCount) else {
                preconditionFailure("out of memory")
            }
            return memory
        }
        var memory: UnsafeMutableRawPointer?
        let result = posix_memalign(&memory, 4096, byteCount)
        precondition(result == 0, "out of memory")
        return memory!
    }

    private func release(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
        // Unmapping fails for wrong arguments only.
        if isSecret { try? System.unmap(memory, length: byteCount) } else { free(memory) }
    }

    mutating func giveBack(_ memory: UnsafeMutableRawPointer, pages: Int) {
        if pages < pooledPages {
            if available.isEmpty { available = Array(repeating: [], count: pooledPages) }
            available[pages].append(memory)
            hasAvailable = true
        } else {
            separate[memory] = nil
            takenBytes -= pages * pageSize
            release(memory, pages * pageSize)
        }
    }

    /// Everything taken becomes invalid. `isSmall`: keeps the first slab only.
    mutating func reset(isSmall: Bool = false) {
        reset(keeping: isSmall ? 0 : Self.keptSlabs)
    }

    /// Everything taken becomes invalid. Keeps `slabCount` slabs beside the first one.
    mutating func reset(keeping slabCount: Int) {
        if hasAvailable {
            for index in available.indices where !available[index].isEmpty {
                available[index].removeAll(keepingCapacity: true)
            }
            hasAvailable = false
        }
        for (memory, byteCount) in separate { release(memory, byteCount) }
        separate.removeAll()
        while slabs.count - 1 > slabCount { releaseLastSlab() }
        currentSlab = 0
        used = 0
        takenBytes = 0
    }

    /// Takes over the memory of another arena, into which no pointers are used any more.
    mutating func takeOver(_ other: inout PageArena) {
        assert(other.overwrite())
        other.reset(keeping: .max)
        if slabs.isEmpty { swap(&slabs, &other.slabs) }
        if other.slabs.count > 1 {
            slabs += other.slabs[1...]
            other.slabs.removeLast(other.slabs.count - 1)
        }
        other.tearDown()
    }

    /// Overwrites all memory, so that tests notice a pointer that was kept too long.
    private func overwrite() -> Bool {
        for (index, slab) in slabs.enumerated() {
            slab.fill(Self.bytes(ofSlab: index), with: 0xA5)
        }
        return true
    }

    /// Frees all memory; the arena must not be used any more.
    mutating func tearDown() {
        reset()
        while !slabs.isEmpty { releaseLastSlab() }
    }

    private mutating func releaseLastSlab() {
        let slab = slabs.removeLast()
        release(slab, Self.bytes(ofSlab: slabs.count))
    }
}
