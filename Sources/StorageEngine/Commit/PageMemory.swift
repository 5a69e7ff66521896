/// Private copies of pages: which there are, and the memory that they lie in.
///
/// Owned by one transaction, or by one group of finished transactions.
struct PageMemory {
    var pages = DirtyPages()
    var arena: PageArena

    init(pageSize: Int) { arena = PageArena(pageSize: pageSize) }

    /// Forgets all copies.
    mutating func reset() {
        pages.removeAll()
        arena.reset()
    }

    /// Frees everything; it must not be used any more.
    mutating func tearDown() {
        pages.tearDown()
        arena.tearDown()
    }
}

/// Page memory that no transaction uses at the moment, so that a commit allocates none.
final class PageMemoryPool: Sendable {
    /// More is freed: a burst of many writers leaves no more than this behind.
    private static let kept = 8

    private let pageSize: Int
    private let spare = Locked<[PageMemory]>([])

    init(pageSize: Int) { self.pageSize = pageSize }

    deinit {
        spare.withLock { spare in
            for index in spare.indices { spare[index].tearDown() }
        }
    }

    func take() -> PageMemory {
        spare.withLock { $0.popLast() } ?? PageMemory(pageSize: pageSize)
    }

    /// Takes back what `take` returned, and sets it to nil; no pointer into it may be used any more.
    func giveBack(_ returned: inout PageMemory?) {
        // Where it is, and not in a copy, which would copy the arrays that it consists of.
        returned!.reset()
        var memory = returned!
        returned = nil
        let isKept = spare.withLock { [memory] spare in
            guard spare.count < Self.kept else { return false }
            spare.append(memory)
            return true
        }
        if !isKept { memory.tearDown() }
    }
}
