import StorageEngine

/// Identifies an asynchronous write or commit of a Realm.
public typealias AsyncTransactionId = UInt32

/// The asynchronous writes of a Realm; see docs/changes.md, "Asynchronous writes".
///
/// Used where the Realm is confined. Other threads leave messages in the mailbox, which has
/// ``turn()`` called soon.
///
/// While there is something to do, this keeps its Realm alive, and is kept by it.
final class AsyncWrites {
    /// What is to be done in a write transaction.
    struct Request {
        let id: AsyncTransactionId
        /// Called in the transaction. Nil for a task, which begins the transaction itself.
        let block: (() -> Void)?
        /// Called if the transaction cannot be begun.
        let fail: (any Error) -> Void
        /// Resumes a task that may begin its transaction; nil while it runs.
        var resume: (() -> Void)?
    }

    /// A commit that is on its way to the disk.
    private struct Commit {
        let id: AsyncTransactionId
        var onComplete: (((any Error)?) -> Void)?
    }

    /// How long one turn begins further transactions, so that other work gets its turn, too: half
    /// of a frame of 60 a second.
    private static let longestTurn: UInt64 = 8_000_000

    private unowned let realm: RealmInstance
    private let writer: BackgroundWriter
    let mailbox: AsyncMailbox

    private var kept: RealmInstance?
    private var lastID: AsyncTransactionId = 0
    /// In the order in which they were made.
    private var requests: [Request] = []
    private var commits: [Commit] = []
    /// The commit that has to be durable before the next transaction begins.
    private var barrier: AsyncTransactionId?
    private var lockRequest: WriteLockRequest?
    /// Whether a block of a request is running, or a task has a transaction of its own.
    private var isServing = false

    init(_ realm: RealmInstance, _ scheduler: Scheduler) {
        self.realm = realm
        writer = BackgroundWriter.of(realm.connection.database)
        mailbox = AsyncMailbox(scheduler)
        mailbox.owner = self
    }

    /// Whether there is anything that has not been done.
    var isBusy: Bool { !requests.isEmpty || !commits.isEmpty || isServing }

    private func makeID() -> AsyncTransactionId {
        lastID &+= 1
        return lastID
    }

    // MARK: Requests

    func add(
        block: (() -> Void)?, resume: (() -> Void)? = nil, fail: @escaping (any Error) -> Void
    ) -> AsyncTransactionId {
        let id = makeID()
        requests.append(Request(id: id, block: block, fail: fail, resume: resume))
        kept = realm
        schedule()
        return id
    }

    /// Ends a request that has not begun, or forgets what is to be called after a commit.
    func cancel(_ id: AsyncTransactionId) {
        if !planted("cancelled-request-runs") {
            requests.removeAll { $0.id == id && $0.block != nil }
        }
        for index in commits.indices where commits[index].id == id {
            commits[index].onComplete = nil
        }
        if requests.isEmpty { forgetLock() }
        releaseIfIdle()
    }

    /// The write transaction of the Realm has ended.
    func transactionDidEnd() {
        if !requests.isEmpty, !isServing { schedule() }
    }

    // MARK: Transactions in between

    /// The Realm is about to begin a transaction at once. Returns whether it has begun with the
    /// lock that was obtained for the next request.
    func beginAtOnce(_ begin: (WriteLockRequest) throws -> Bool) throws -> Bool {
        guard let lockRequest else { return false }
        self.lockRequest = nil
        // The next request needs another lock. The end of the transaction tells it so, but that may
        // fail to begin.
        schedule()
        var hasBegun = false
        defer { if !hasBegun { lockRequest.cancel() } }
        hasBegun = try begin(lockRequest)
        return hasBegun
    }

    private func forgetLock() {
        lockRequest?.cancel()
        lockRequest = nil
    }

    // MARK: Tasks

    /// Begins the transaction of a task if nothing is before it and that takes no waiting.
    func beginIfFirst() throws -> Bool {
        guard requests.isEmpty, canBegin, try realm.beginWriteIfFree() else { return false }
        isServing = true
        return true
    }

    /// Begins the transaction of a task that was resumed. If that takes waiting, returns false, and
    /// the task is resumed again.
    func begin(_ id: AsyncTransactionId, resume: @escaping () -> Void) throws -> Bool {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return false }
        guard index == 0, canBegin, try beginWithLock() else {
            requests[index].resume = resume
            schedule()
            return false
        }
        requests.removeFirst()
        isServing = true
        return true
    }

    /// The function of a task has returned.
    func didServeTask() {
        isServing = false
        transactionDidEnd()
        releaseIfIdle()
    }

    /// Removes a task that was cancelled, or cannot begin. It may have been its turn, which is then
    /// that of the next request.
    func removeTask(_ id: AsyncTransactionId) {
        requests.removeAll { $0.id == id }
        if requests.isEmpty { forgetLock() } else { schedule() }
        releaseIfIdle()
    }

    // MARK: Commits

    /// Commits the open transaction in the background.
    func commit(
        allowGrouping: Bool, _ onComplete: (((any Error)?) -> Void)?
    ) -> AsyncTransactionId {
        let id = makeID()
        commits.append(Commit(id: id, onComplete: onComplete))
        kept = realm
        do {
            try realm.commitWrite(with: writer) { [mailbox] error in
                mailbox.post { $0.finished.append((id, error)) }
            }
            if !allowGrouping { barrier = id }
        } catch {
            mailbox.post { $0.finished.append((id, error)) }
        }
        return id
    }

    private func complete(_ finished: [(id: AsyncTransactionId, error: (any Error)?)]) {
        for (id, error) in finished {
            if barrier == id { barrier = nil }
            if error != nil { realm.leaveUnwrittenVersion() }
            guard let index = commits.firstIndex(where: { $0.id == id }) else { continue }
            let commit = commits.remove(at: index)
            commit.onComplete?(error.map(Realm.Error.of))
        }
    }

    // MARK: The turn

    private func schedule() { mailbox.post { _ in } }

    /// Called where the Realm is confined.
    fileprivate func turn() {
        let messages = mailbox.take()
        guard let realm = kept, !realm.hasEnded else { return }
        complete(messages.finished)
        for id in messages.cancelled { resumeTask(id) }
        serve()
        releaseIfIdle()
    }

    private var canBegin: Bool { barrier == nil && !realm.isWriting && !isServing }

    /// Begins transactions, and runs what they are for, until something has to be waited for.
    private func serve() {
        let start = System.monotonicNanoseconds
        while let request = requests.first, canBegin {
            guard let block = request.block else { return offerTurn() }
            if System.monotonicNanoseconds - start > Self.longestTurn { return schedule() }
            do {
                guard try beginWithLock() else { return requestLock() }
            } catch {
                failFirst(error)
                continue
            }
            requests.removeFirst()
            isServing = true
            block()
            // A block that neither commits nor cancels.
            if realm.isWriting, planted("unended-write-commits") {
                _ = commit(allowGrouping: false, nil)
            }
            if realm.isWriting { realm.cancelWrite() }
            isServing = false
        }
    }

    /// Resumes the task that is the next once the lock is there for it.
    private func offerTurn() {
        guard let lockRequest, lockRequest.isAnswered else { return requestLock() }
        resumeTask(requests[0].id)
    }

    private func resumeTask(_ id: AsyncTransactionId) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        let resume = requests[index].resume.take()
        resume?()
    }

    private func failFirst(_ error: any Error) {
        forgetLock()
        if requests.isEmpty { return }
        requests.removeFirst().fail(error)
    }

    /// Begins a transaction with the lock that was obtained, or if the lock is free.
    private func beginWithLock() throws -> Bool {
        if let request = lockRequest {
            guard request.isAnswered else { return false }
            lockRequest = nil
            if try realm.beginWrite(with: request) { return true }
        }
        return try realm.beginWriteIfFree()
    }

    private func requestLock() {
        if lockRequest != nil { return }
        lockRequest = writer.requestLock { [mailbox] in mailbox.post { _ in } }
    }

    // MARK: The end

    private func releaseIfIdle() {
        if !isBusy { kept = nil }
    }

    /// The thread of the Realm ends. Commits that were made are written nevertheless.
    func threadDidEnd() {
        forgetLock()
        requests = []
        commits = []
        kept = nil
    }
}

/// What other threads tell the asynchronous writes of a Realm. Any thread may use it.
// Unchecked because of the owner, which is set once, and read where the Realm is confined.
final class AsyncMailbox: @unchecked Sendable {
    struct Messages {
        /// Commits that are durable or have failed, in order.
        var finished: [(id: AsyncTransactionId, error: (any Error)?)] = []
        /// Tasks that were cancelled.
        var cancelled: [AsyncTransactionId] = []
    }

    private struct State {
        var messages = Messages()
        var isScheduled = false
    }

    fileprivate weak var owner: AsyncWrites?
    private let scheduler: Scheduler
    private let state = Locked(State())

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// Leaves a message, and has the owner read it soon.
    func post(_ message: (inout Messages) -> Void) {
        let isFirst = state.withLock { state in
            message(&state.messages)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { scheduler.schedule { [self] in owner?.turn() } }
    }

    fileprivate func take() -> Messages {
        state.withLock { state in
            defer { state = State() }
            return state.messages
        }
    }
}
