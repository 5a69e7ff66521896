/// Finished transactions that become durable together: one commit record, one sync.
///
/// A group is *open* while further transactions may join it; then one of the waiting threads takes
/// it and writes it (``CommitQueue``). Its pages never change: a later transaction copies what it
/// changes, even if it joins the same group. They stay in memory until the group is on disk and no
/// transaction that was begun before reads them any more.
// Unchecked: `record`, `freed` and `memory` change only while the group is open, under the write
// lock and the queue's lock. They are read with these locks, by the holder of the write lock, or by
// the thread that has taken the group. `outcome` is written before `state` says so, and read after.
// For the same reason accesses to them are not checked while the program runs.
final class CommitGroup: @unchecked Sendable {
    /// The version of its first transaction: pages of this birth and later are in memory.
    let firstVersion: UInt64
    /// The record that makes it durable: describes the newest of its transactions.
    @exclusivity(unchecked) private(set) var record: CommitRecord
    /// Pages of versions before it that its transactions freed; ascending.
    @exclusivity(unchecked) private(set) var freed: [FreedExtent]
    /// When it has to be durable: as soon as its most urgent transaction asks.
    private(set) var sync: Sync
    /// Whether no further transaction may join.
    private(set) var isFull: Bool
    /// The memory of its transactions. The first one's table has the pages that the transactions
    /// wrote and that are still needed; the other tables are empty.
    @exclusivity(unchecked) private var memory: [PageMemory]
    /// First pages of the runs that its only transaction wrote ahead; nil if it did not.
    let pagesAhead: PageSet?
    private let pool: PageMemoryPool

    /// Half of the threads where 64 write at once.
    private static let usualTransactions = 32

    /// Values of the word that waiters sleep on.
    private enum State {
        static let waiting: UInt32 = 0
        /// The group before is on disk: one of the waiters is to write this one.
        static let needsLeader: UInt32 = 1
        static let finished: UInt32 = 2
    }
    private let state: UnsafeMutablePointer<UInt32>
    /// How many waiters sleep, or are about to.
    private let sleeperCount: UnsafeMutablePointer<UInt32>
    /// How many threads have come to wait for their transactions in it.
    private let committerCount: UnsafeMutablePointer<UInt32>
    /// Whether one of them waits for more. Guarded by the queue's lock.
    private var isGathering = false
    /// How it ended; nil while it is not finished.
    private(set) var outcome: Result<Void, StorageError>?

    enum Sync: Comparable {
        /// With a later group: no other process knows the file, which is thrown away unless that
        /// group succeeds.
        case withLaterGroup
        /// Within the time that relaxed commits have.
        case later
        /// No thread waits for it, but so much space does that the sync should begin at once.
        case soon
        case beforeReturning
    }

    /// Takes over the memory of its first transaction.
    init(
        firstVersion: UInt64, record: CommitRecord, freed: [FreedExtent], sync: Sync, isFull: Bool,
        memory: consuming PageMemory, pagesAhead: PageSet? = nil, pool: PageMemoryPool
    ) {
        self.pagesAhead = pagesAhead
        self.firstVersion = firstVersion
        self.record = record
        self.freed = freed
        self.sync = sync
        self.isFull = isFull
        self.memory = [memory]
        self.pool = pool
        state = .allocate(capacity: 3)
        sleeperCount = state + 1
        committerCount = state + 2
        state.initialize(to: State.waiting)
        sleeperCount.initialize(repeating: 0, count: 2)
    }

    deinit {
        state.deallocate()
        pool.giveBack(&memory)
    }

    /// Adds a transaction and takes over its memory. `freed`: pages of versions before the group
    /// that the whole group freed.
    func join(
        _ newRecord: CommitRecord, freed: [FreedExtent], sync: Sync, isFull: Bool,
        memory joined: consuming PageMemory
    ) {
        precondition(!self.isFull)
        record = newRecord
        self.freed = freed
        self.sync = max(self.sync, sync)
        self.isFull = isFull
        rebase(joined)
        // Pages of this group that the transaction has copied or freed need not be written.
        for reference in joined.replaced where reference.birth >= firstVersion {
            memory[0].pages.remove(reference.page)
        }
        joined.pages.move(into: &memory[0].pages)
        if memory.count == 1 { memory.reserveCapacity(Self.usualTransactions) }
        memory.append(joined)
    }

    /// Runs that the transaction has copied from runs of this group are changes of what these were
    /// copied from, because only the last copy is written.
    private func rebase(_ joined: borrowing PageMemory) {
        guard joined.replaced.contains(where: { $0.birth >= firstVersion }) else { return }
        for run in joined.pages.runs() {
            let header = MutablePageHeader(run.buffer)
            guard header.base.birth >= firstVersion, let before = page(header.base.page) else {
                continue
            }
            header.base = PageHeader(before).base
        }
    }

    /// Returns the private copy of a page, or nil if this group did not write it.
    func page(_ number: UInt64) -> UnsafeMutableRawPointer? { memory[0].pages[number] }

    /// The private copies that are still needed, ascending. For the holder of the write lock.
    func runs() -> [DirtyPages.Run] { memory[0].pages.runs() }

    /// The first pages of all runs, ascending.
    func sortedPages() -> [UInt64] { memory[0].pages.sorted() }

    // MARK: Waiting

    var isFinished: Bool { state.loadSequential() == State.finished }

    /// Sleeps until it is finished or needs a leader, unless it is or does already.
    func wait() {
        // The count is read after the state was changed, and the kernel looks at the state after
        // this waiter was counted.
        _ = sleeperCount.fetchAdd(1)
        System.wait(on: state, while: State.waiting)
        _ = sleeperCount.fetchAdd(UInt32.max)
    }

    /// How many threads wait for their transactions in it, or write it for that.
    var committers: Int { Int(committerCount.loadAcquire()) }

    func countCommitter() { _ = committerCount.fetchAdd(1) }

    /// Makes the caller the one that waits for more committers; false if another thread does.
    /// Waiters sleep until the group is finished. Only with the queue's lock, while it is open.
    func beginGathering() -> Bool {
        if isGathering { return false }
        isGathering = true
        state.storeSequential(State.waiting)
        return true
    }

    /// The group is being written, so its waiters wait for the end. Only with the queue's lock.
    func beginWriting() { state.storeSequential(State.waiting) }

    /// The group before is on disk: one of the waiters is to write this one (``wake(count:)``).
    /// Only with the queue's lock, while the group is not taken.
    func callForLeader() { state.storeSequential(State.needsLeader) }

    /// Records the outcome and wakes all waiters.
    func finish(_ outcome: Result<Void, StorageError>) {
        self.outcome = outcome
        state.storeSequential(State.finished)
        wake(count: .max)
    }

    func wake(count: Int32) {
        if sleeperCount.loadSequential() != 0 { System.wake(state, count: count) }
    }
}
