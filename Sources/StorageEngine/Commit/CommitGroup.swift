/// Finished transactions that become durable together: one commit record, one sync.
///
/// A group is *open* while further transactions may join it; then one of the waiting threads takes
/// it and writes it (``CommitQueue``). Its pages never change: a later transaction copies what it
/// changes, be it of the same group. They stay in memory until the group is on disk and no
/// transaction that was begun before reads them any more.
// Unchecked: `record` and `memory` change only while the group is open, under the write lock and
// the queue's lock; whoever reads them without these locks holds the write lock, or has taken the
// group. `outcome` is written before `state` says so, and read after.
final class CommitGroup: @unchecked Sendable {
    /// The version of its first transaction: pages of this birth and later are in memory.
    let firstVersion: UInt64
    /// The record that makes it durable: describes the newest of its transactions.
    private(set) var record: CommitRecord
    /// Whether any of its transactions waits until it is durable; else all are content when it is
    /// written.
    private(set) var needsSync: Bool
    /// No transaction may join any more.
    private(set) var isFull: Bool
    /// Its table says what the file's pages are to be: those that its transactions wrote and still
    /// need. The memory of its first transaction.
    private var memory: PageMemory?
    /// Of the other transactions; their tables are empty.
    private var joined: [PageMemory?] = []
    private let pool: PageMemoryPool

    /// What waiters sleep on.
    private enum State {
        static let waiting: UInt32 = 0
        /// The group before is on disk: one of the waiters is to write this one.
        static let needsLeader: UInt32 = 1
        static let finished: UInt32 = 2
    }
    private let state: UnsafeMutablePointer<UInt32>
    /// Waiters that sleep, or are about to: nobody else has to be woken.
    private let sleeperCount: UnsafeMutablePointer<UInt32>
    /// Nil while it is not finished.
    private(set) var outcome: Result<Void, StorageError>?

    /// Takes over the memory of its first transaction.
    init(
        firstVersion: UInt64, record: CommitRecord, needsSync: Bool, isFull: Bool,
        memory: PageMemory, pool: PageMemoryPool
    ) {
        self.firstVersion = firstVersion
        self.record = record
        self.needsSync = needsSync
        self.isFull = isFull
        self.memory = memory
        self.pool = pool
        state = .allocate(capacity: 2)
        sleeperCount = state + 1
        state.initialize(to: State.waiting)
        sleeperCount.initialize(to: 0)
    }

    deinit {
        state.deallocate()
        pool.giveBack(&memory)
        for index in joined.indices { pool.giveBack(&joined[index]) }
    }

    /// Adds a transaction. `replaced`: pages of this group that it has copied or freed.
    func join(
        _ newRecord: CommitRecord, needsSync: Bool, isFull: Bool, memory: PageMemory,
        replaced: [UInt64]
    ) {
        precondition(!self.isFull)
        record = newRecord
        if needsSync { self.needsSync = true }
        self.isFull = isFull
        for page in replaced { self.memory!.pages.remove(page) }
        var memory = memory
        for page in memory.pages.sorted() {
            self.memory!.pages.add(memory.pages[page]!, at: page)
        }
        memory.pages.removeAll()
        joined.append(memory)
    }

    /// The private copy of a page, or nil if this group did not write it.
    func page(_ number: UInt64) -> UnsafeMutableRawPointer? { memory!.pages[number] }

    /// The first pages of all runs, ascending.
    func sortedPages() -> [UInt64] { memory!.pages.sorted() }

    // MARK: Waiting

    var isFinished: Bool { state.loadSequential() == State.finished }

    /// Sleeps until it is finished or needs a leader, unless it is or does already.
    func wait() {
        // Whoever changes the state looks at the count afterwards; the kernel looks at the state
        // after it has been counted.
        _ = sleeperCount.fetchAdd(1)
        System.wait(on: state, while: State.waiting)
        _ = sleeperCount.fetchAdd(UInt32.max)
    }

    /// It is being written: who waits, waits for the end. Only with the queue's lock.
    func beginWriting() { state.storeSequential(State.waiting) }

    /// The group before is on disk: one of the waiters is to write this one (``wake(count:)``). Only
    /// with the queue's lock, while nobody has taken it.
    func callForLeader() { state.storeSequential(State.needsLeader) }

    /// Says how it ended and wakes all waiters.
    func finish(_ outcome: Result<Void, StorageError>) {
        self.outcome = outcome
        state.storeSequential(State.finished)
        wake(count: .max)
    }

    func wake(count: Int32) {
        if sleeperCount.loadSequential() != 0 { System.wake(state, count: count) }
    }
}
