/// Group commit: finished transactions wait here until they are on disk.
///
/// At most one group is being written, and at most one is open. A transaction that finishes joins
/// the open group, or opens one, hands the write lock on, and waits. When nothing is being written,
/// one of the waiters takes the open group and writes it for all (``GroupWriter``); what finishes
/// meanwhile gathers in the next. So one sync serves all writers that finished during the sync
/// before, and nobody waits for company.
///
/// The next transaction starts from the *head*: the newest group. If writing a group fails, so does
/// everything that was built on it: the open group, and the transaction that is under way.
final class CommitQueue: Sendable {
    private struct State {
        var flushing: CommitGroup?
        var open: CommitGroup?
        /// Groups that failed.
        var failures = 0
        var lastFailure: StorageError?
        /// How many of them the last transaction knew of that asked for the head.
        var knownFailures = 0
        var joined = 0

        mutating func failOpenGroup(_ error: StorageError) {
            guard let group = open else { return }
            open = nil
            failures += 1
            lastFailure = error
            group.finish(.failure(error))
        }
    }

    /// What a transaction starts from.
    struct Head {
        /// The group that is being written, unless it is known to be on disk.
        fileprivate(set) var flushing: CommitGroup?
        /// The group that the transaction would join if it finished now.
        fileprivate(set) var open: CommitGroup?
        /// The free map in memory is of a version that failed.
        var mapIsLost = false
        fileprivate var failures = 0

        /// Whether pages that it wrote are in the file only, which is not known to hold them yet.
        var hasPagesAhead: Bool { flushing?.pagesAhead != nil || open?.pagesAhead != nil }

        var newest: CommitGroup? { open ?? flushing }
        var oldest: CommitGroup? { flushing ?? open }

        /// The group that wrote what has this birth.
        @inline(__always)
        func group(of birth: UInt64) -> CommitGroup? {
            if let open, open.firstVersion <= birth { return open }
            if let flushing, flushing.firstVersion <= birth { return flushing }
            return nil
        }

        var records: [CommitRecord] { [flushing, open].compactMap { $0?.record } }
    }

    private let state = Locked(State())

    /// For the holder of the write lock, once for each transaction.
    func takeHead() -> Head {
        state.withLock { state in
            defer { state.knownFailures = state.failures }
            return Head(
                flushing: state.flushing, open: state.open,
                mapIsLost: state.knownFailures != state.failures, failures: state.failures)
        }
    }

    /// How many transactions have joined a group. Lets tests see that one is waiting.
    var joinedTransactions: Int { state.withLock { $0.joined } }

    /// Whether the transaction of the holder of the write lock would join others. One that is not
    /// joined now may have been taken when the transaction finishes.
    var hasOpenGroup: Bool { state.withLock { $0.open != nil } }

    /// Whether all that finished is on disk, or failed.
    var isEmpty: Bool { state.withLock { $0.flushing == nil && $0.open == nil } }

    /// Adds a transaction to the open group, or opens one with it. Returns the group to wait for.
    ///
    /// `join` is given the open group if there is one; it adds the transaction and returns that
    /// group, or returns a new one. Nobody takes the group meanwhile. Only with the write lock, after
    /// ``waitUntilJoinable(_:)``; `head` is what the transaction was begun on.
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
                // What the open group did to the free map cannot be told from what this one did.
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
    func waitUntilJoinable(_ writer: GroupWriter) {
        while let full = state.withLock({ $0.open?.isFull == true ? $0.open : nil }) {
            // Its waiters learn of a failure; here it does not matter.
            _ = try? waitUntilDurable(full, writer)
        }
    }

    /// Waits until nothing is under way. With the write lock, so that nothing follows.
    func drain(_ writer: GroupWriter) {
        while let newest = state.withLock({ $0.open ?? $0.flushing }) {
            _ = try? waitUntilDurable(newest, writer)
        }
    }

    /// Waits until the group is on disk, or writes it. Returns what writing cost, to the one that
    /// wrote it.
    func waitUntilDurable(
        _ group: CommitGroup, _ writer: GroupWriter
    ) throws(StorageError) -> CommitStatistics? {
        while !group.isFinished {
            if take(group) { return try write(group, writer) }
            group.wait()
        }
        try group.outcome!.get()
        return nil
    }

    /// Makes the caller the one that writes the group, unless another group is being written.
    func take(_ group: CommitGroup) -> Bool {
        state.withLock { state in
            guard state.flushing == nil, state.open === group else { return false }
            state.flushing = group
            state.open = nil
            group.beginWriting()
            return true
        }
    }

    /// Writes a group that was taken.
    func write(
        _ group: CommitGroup, _ writer: GroupWriter
    ) throws(StorageError) -> CommitStatistics {
        let result = Result { () throws(StorageError) in try writer.write(group) }
        let failure: StorageError? = if case .failure(let error) = result { error } else { nil }
        let next = state.withLock { state -> CommitGroup? in
            state.flushing = nil
            let next = state.open
            if let failure {
                state.open = nil
                state.failures += 1
                state.lastFailure = failure
                // Their versions' numbers become those of other transactions.
                writer.database.changeLog.removeAll()
            } else {
                next?.callForLeader()
            }
            return next
        }
        if let failure {
            // What waits in `next` was built on what is lost.
            next?.finish(.failure(failure))
        } else {
            next?.wake(count: 1)
        }
        group.finish(result.map { _ in })
        writer.didFinishGroup()
        return try result.get()
    }
}
