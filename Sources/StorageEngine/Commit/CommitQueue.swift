/// Group commit: finished transactions wait here until they are on disk.
///
/// At most one group is being written, and at most one is open. A transaction that finishes joins
/// the open group, or opens one, hands the write lock on, and waits. When nothing is being written,
/// one of the waiters takes the open group and writes it for all (``GroupWriter``). Transactions
/// that finish meanwhile gather in the next group. So one sync serves all writers that finished
/// during the sync before. Where they are few, the one that writes a group waits some microseconds
/// for those whom the group before has released (``GatheringPolicy``).
///
/// The next transaction starts from the *head*: the newest group. If writing a group fails, so does
/// everything that was built on it: the open group, and the transaction that is under way.
///
/// Used by any thread.
final class CommitQueue: Sendable {
    private struct State {
        var flushing: CommitGroup?
        var open: CommitGroup?
        /// How many groups have failed.
        var failures = 0
        var lastFailure: StorageError?
        /// How many of them were known to the transaction that asked for the head last.
        var knownFailures = 0
        var joined = 0
        var gathering = GatheringPolicy()

        mutating func failOpenGroup(_ error: StorageError) {
            guard let group = open else { return }
            open = nil
            failures += 1
            lastFailure = error
            group.finish(.failure(error))
        }

        /// Makes the open group the one that is being written, unless another one is.
        mutating func take(_ group: CommitGroup) -> Bool {
            guard flushing == nil, open === group else { return false }
            flushing = group
            open = nil
            group.beginWriting()
            return true
        }
    }

    /// The groups that a transaction starts from.
    struct Head {
        /// The group that is being written, unless it is known to be on disk.
        fileprivate(set) var flushing: CommitGroup?
        /// The group that the transaction would join if it finished now.
        fileprivate(set) var open: CommitGroup?
        /// Whether the free map in memory is of a version that failed.
        var mapIsLost = false
        fileprivate var failures = 0

        /// Whether pages of the groups are in the file and no longer in memory.
        var hasPagesAhead: Bool { flushing?.pagesAhead != nil || open?.pagesAhead != nil }

        var newest: CommitGroup? { open ?? flushing }
        var oldest: CommitGroup? { flushing ?? open }

        /// The newest first.
        var groups: [CommitGroup] { [open, flushing].compactMap { $0 } }

        /// Returns the group that wrote pages of this birth.
        @inline(__always)
        func group(of birth: UInt64) -> CommitGroup? {
            if let open, open.firstVersion <= birth { return open }
            if let flushing, flushing.firstVersion <= birth { return flushing }
            return nil
        }

        var records: [CommitRecord] { [flushing, open].compactMap { $0?.record } }
    }

    let groupWriter: GroupWriter
    private let changeLog: ChangeLog
    private var coordinator: Coordinator { groupWriter.coordinator }
    private let state = Locked(State())

    init(_ groupWriter: GroupWriter, _ changeLog: ChangeLog) {
        self.groupWriter = groupWriter
        self.changeLog = changeLog
    }

    /// Returns what a transaction starts from. For the holder of the write lock, once for each
    /// transaction.
    func takeHead() -> Head {
        state.withLock { state in
            defer { state.knownFailures = state.failures }
            return Head(
                flushing: state.flushing, open: state.open,
                mapIsLost: state.knownFailures != state.failures, failures: state.failures)
        }
    }

    /// How many transactions have joined a group, for tests that wait for one.
    var joinedTransactions: Int { state.withLock { $0.joined } }

    /// Whether there is a group that a transaction could join now. It may be taken before the
    /// transaction finishes.
    var hasOpenGroup: Bool { state.withLock { $0.open != nil } }

    /// Whether all transactions that finished are on disk, or have failed.
    private var isEmpty: Bool { state.withLock { $0.flushing == nil && $0.open == nil } }

    /// Whether a transaction can begin without waiting for a group. `hasMap`: whether the free map
    /// is in memory. With the write lock.
    func mayBeginAtOnce(hasMap: Bool) -> Bool {
        state.withLock { state in
            if state.open?.isFull == true { return false }
            if state.open == nil, state.flushing == nil { return true }
            return hasMap && state.failures == state.knownFailures
                && state.open?.pagesAhead == nil && state.flushing?.pagesAhead == nil
        }
    }

    /// Lets other processes write if nothing is under way in this one.
    func didFinishGroup() {
        groupWriter.coordinator.releaseProcessLock(ifIdle: { isEmpty })
    }

    /// Adds a transaction to the open group, or opens one with it. Returns the group to wait for.
    ///
    /// `join` is given the open group if there is one; it adds the transaction and returns that
    /// group, or returns a new one. The group is not taken meanwhile. Only with the write lock,
    /// after ``waitUntilJoinable()``; `head` is what the transaction was begun on.
    ///
    /// - Throws: what `join` throws, and why the head failed, if it did.
    func join(
        _ head: Head, _ join: (CommitGroup?) throws(StorageError) -> CommitGroup
    ) throws(StorageError) -> CommitGroup {
        try state.withLock { state throws(StorageError) in
            if state.failures != head.failures { throw state.lastFailure! }
            let group: CommitGroup
            do throws(StorageError) {
                group = try join(state.open)
            } catch {
                // The changes of the open group to the free map cannot be told from this one's.
                state.failOpenGroup(error)
                throw error
            }
            precondition(state.open == nil || state.open === group)
            state.open = group
            state.joined += 1
            return group
        }
    }

    /// Waits until a transaction may join the open group, or open one. With the write lock.
    func waitUntilJoinable() {
        while let full = state.withLock({ $0.open?.isFull == true ? $0.open : nil }) {
            // Its own waiters are told of a failure.
            _ = try? waitUntilDurable(full)
        }
    }

    /// Waits until nothing is under way. With the write lock, so that nothing follows.
    func drain() {
        while let newest = state.withLock({ $0.open ?? $0.flushing }) {
            _ = try? waitUntilDurable(newest)
        }
    }

    /// Waits until the group is on disk, or writes it. Returns what writing cost if the caller
    /// wrote it.
    func waitUntilDurable(_ group: CommitGroup) throws(StorageError) -> CommitStatistics? {
        while !group.isFinished {
            if take(group) { return try write(group) }
            group.wait()
        }
        try group.outcome!.get()
        return nil
    }

    /// Does the same for a thread whose own transaction is in the group. Before the group is
    /// written, others may be waited for (``GatheringPolicy``). Without the write lock, so that
    /// they can join.
    func waitUntilDurableWithOthers(
        _ group: CommitGroup
    ) throws(StorageError) -> CommitStatistics? {
        group.countCommitter()
        while !group.isFinished {
            switch role(in: group) {
            case .gathers(let wanted):
                gather(wanted, for: group)
                if take(group) { return try write(group) }
            case .writes:
                return try write(group)
            case .waits:
                break
            }
            group.wait()
        }
        try group.outcome!.get()
        return nil
    }

    private enum Role {
        /// To wait until the group has so many committers, then to write it.
        case gathers(Int)
        /// To write the group, which is taken.
        case writes
        /// To wait for another thread, which writes this group or the one before, or gathers.
        case waits
    }

    private func role(in group: CommitGroup) -> Role {
        state.withLock { state in
            guard state.flushing == nil, state.open === group else { return .waits }
            if !group.isFull, let wanted = state.gathering.wanted, group.committers < wanted {
                return group.beginGathering() ? .gathers(wanted) : .waits
            }
            return state.take(group) ? .writes : .waits
        }
    }

    /// Waits until the group has so many committers, but for none of them for long. The last of
    /// them takes the group; otherwise it is the caller's to take.
    private func gather(_ wanted: Int, for group: CommitGroup) {
        var (count, end) = (0, UInt64(0))
        while count < wanted {
            let (present, now) = (group.committers, System.monotonicNanoseconds)
            if present > count { (count, end) = (present, now + GatheringPolicy.longestWait) }
            if now >= end { break }
            System.giveUpProcessor()
        }
        state.withLock { $0.gathering.didWait(isComplete: group.committers >= wanted) }
    }

    /// Makes the caller the one that writes the group, unless another group is being written.
    func take(_ group: CommitGroup) -> Bool { state.withLock { $0.take(group) } }

    /// Writes a group that was taken.
    func write(_ group: CommitGroup) throws(StorageError) -> CommitStatistics {
        let result = Result { () throws(StorageError) in try groupWriter.write(group) }
        let failure: StorageError? = if case .failure(let error) = result { error } else { nil }
        let next = state.withLock { state -> CommitGroup? in
            if let failure {
                // Before other transactions get the numbers of the failed versions, so that a
                // version that is found published is one whose group has not failed.
                group.finish(.failure(failure))
                state.flushing = nil
                state.failures += 1
                state.lastFailure = failure
                changeLog.removeAll()
                // The transactions of the open group were built on this one.
                state.open?.finish(.failure(failure))
                state.open = nil
                return nil
            }
            state.flushing = nil
            state.gathering.groupWasWritten(
                committers: group.committers + (state.open?.committers ?? 0))
            state.open?.callForLeader()
            return state.open
        }
        if failure == nil {
            next?.wake(count: 1)
            group.finish(.success(()))
            if changeLog.isObserved {
                VersionWatch.ofProcess.value.tellPublished(group.record.version, of: coordinator)
            }
        }
        didFinishGroup()
        return try result.get()
    }
}
