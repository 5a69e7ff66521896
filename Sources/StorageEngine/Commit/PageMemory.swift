/// Private copies of pages: which there are, and the memory that they lie in.
///
/// Owned by one transaction, or by one group of finished transactions.
struct PageMemory {
    var pages = DirtyPages()
    var arena: PageArena
    /// Pages of groups that are not in the file yet, which the transaction has copied or freed.
    var replaced: [PageReference] = []

    private static let keptReplaced = 4096

    init(pageSize: Int) { arena = PageArena(pageSize: pageSize) }

    /// Moves everything out, which leaves nothing. Allocates no memory.
    mutating func take() -> PageMemory {
        var taken = PageMemory(pageSize: arena.pageSize)
        swap(&self, &taken)
        return taken
    }

    /// Forgets all copies. `isSmall`: keeps little more memory than a small transaction needs.
    mutating func reset(isSmall: Bool) {
        pages.removeAll()
        replaced.removeAll(keepingCapacity: !isSmall && replaced.count <= Self.keptReplaced)
        if isSmall { pages.shrink() }
        arena.reset(isSmall: isSmall)
    }

    /// Frees everything; it must not be used any more.
    mutating func tearDown() {
        pages.tearDown()
        arena.tearDown()
    }
}

/// Page memory that no transaction uses at the moment, so that a commit allocates none.
final class PageMemoryPool: Sendable {
    /// As many as a large transaction may have used.
    private static let keptLarge = 8
    /// More than this many are freed, so a burst of many writers leaves no more behind. Two groups
    /// that follow each other, each with the transactions of many threads, allocate nothing.
    private static let kept = 128

    private let pageSize: Int
    private let spare = Locked<[PageMemory]>([])
    private let forkGeneration = System.forkGeneration

    init(pageSize: Int) { self.pageSize = pageSize }

    deinit {
        spare.withLock { spare in
            for index in spare.indices { spare[index].tearDown() }
        }
    }

    func take() -> PageMemory {
        spare.withLock { $0.popLast() } ?? PageMemory(pageSize: pageSize)
    }

    /// Takes back what ``take()`` returned; no pointer into it may be used any more.
    func giveBack(_ memory: consuming PageMemory) {
        var returned = [memory]
        giveBack(&returned)
    }

    /// Takes back all of them, which leaves none.
    func giveBack(_ returned: inout [PageMemory]) {
        guard forkGeneration == System.forkGeneration else {
            // In a forked child the lock may be held for ever.
            for index in returned.indices { returned[index].tearDown() }
            returned.removeAll()
            return
        }
        let spareCount = spare.withLock { $0.count }
        // In place: resetting a copy would copy the arrays that it consists of.
        for index in returned.indices {
            returned[index].reset(isSmall: spareCount + index >= Self.keptLarge)
        }
        spare.withLock { spare in
            while spare.count < Self.kept, let memory = returned.popLast() { spare.append(memory) }
        }
        for index in returned.indices { returned[index].tearDown() }
        returned.removeAll()
    }
}
