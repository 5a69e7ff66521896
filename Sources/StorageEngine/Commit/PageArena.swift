import Glibc

/// Private memory for the runs that a transaction writes: page aligned, taken piece by piece from
/// slabs, given back all at once when the transaction ends.
///
/// Owned by one pager and used by one thread at a time.
struct PageArena {
    /// Room for a small transaction: many of them may wait for the disk at once.
    private static let firstSlabBytes = 64 << 10
    /// Slabs of 1 MiB: the kernel clears memory in large steps.
    private static let slabBytes = 1 << 20
    /// Runs beyond a quarter of a slab get memory of their own.
    private static let largestPooledBytes = slabBytes / 4
    /// What is kept for the next transaction, beside the first slab: 4 MiB.
    private static let keptSlabs = 4

    private let pageSize: Int
    private var slabs: [UnsafeMutableRawPointer] = []
    private var currentSlab = 0
    private var used = 0
    /// Runs given back during the transaction, by number of pages.
    private var available: [[UnsafeMutableRawPointer]]
    /// Whether any was given back.
    private var hasAvailable = false
    /// Runs with memory of their own.
    private var separate: Set<UnsafeMutableRawPointer> = []

    init(pageSize: Int) {
        self.pageSize = pageSize
        available = Array(repeating: [], count: Self.largestPooledBytes / pageSize + 1)
    }

    /// Memory with undefined contents.
    mutating func take(pages: Int) -> UnsafeMutableRawPointer {
        guard pages < available.count else {
            let memory = Self.aligned(pages * pageSize)
            separate.insert(memory)
            return memory
        }
        if let memory = available[pages].popLast() { return memory }
        let bytes = pages * pageSize
        while used + bytes > Self.bytes(ofSlab: currentSlab) {
            currentSlab += 1
            used = 0
        }
        while currentSlab >= slabs.count {
            slabs.append(Self.aligned(Self.bytes(ofSlab: slabs.count)))
        }
        defer { used += bytes }
        return slabs[currentSlab] + used
    }

    private static func bytes(ofSlab index: Int) -> Int {
        index == 0 ? firstSlabBytes : slabBytes
    }

    private static func aligned(_ bytes: Int) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        let result = posix_memalign(&memory, 4096, bytes)
        precondition(result == 0, "out of memory")
        return memory!
    }

    mutating func giveBack(_ memory: UnsafeMutableRawPointer, pages: Int) {
        if pages < available.count {
            available[pages].append(memory)
            hasAvailable = true
        } else {
            separate.remove(memory)
            free(memory)
        }
    }

    /// Everything taken becomes invalid. `isSmall`: keeps the first slab only.
    mutating func reset(isSmall: Bool = false) {
        if hasAvailable {
            for index in available.indices where !available[index].isEmpty {
                available[index].removeAll(keepingCapacity: true)
            }
            hasAvailable = false
        }
        for memory in separate { free(memory) }
        separate.removeAll()
        let kept = isSmall ? 1 : 1 + Self.keptSlabs
        while slabs.count > kept { free(slabs.removeLast()) }
        currentSlab = 0
        used = 0
    }

    /// Frees all memory; the arena must not be used any more.
    mutating func tearDown() {
        reset()
        for slab in slabs { free(slab) }
        slabs = []
    }
}
