import Dispatch

/// Waits for the write lock and for the disk, so that others need not: with one thread for each,
/// because a transaction that holds the lock may be waiting for the disk.
///
/// One for each database that is written to in this way, as long as somebody keeps it.
public final class BackgroundWriter: Sendable {
    /// A commit that is to be finished.
    private struct Commit {
        /// Kept open until then.
        let database: Database
        let group: CommitGroup
        let whenDone: @Sendable (StorageError?) -> Void
    }

    private struct State {
        var commits: [Commit] = []
        var isRunning = false
    }

    private struct Entry {
        weak var writer: BackgroundWriter?
    }

    private static let entriesOfProcess = ProcessLocal { Locked<[ObjectIdentifier: Entry]>([:]) }

    private let database: Database
    private let state = Locked(State())
    private let lockQueue = DispatchQueue(label: "realm.write-lock")
    private let commitQueue = DispatchQueue(label: "realm.commit")

    private init(_ database: Database) { self.database = database }

    deinit {
        let key = ObjectIdentifier(database)
        Self.entriesOfProcess.value.withLock { entries in
            if let entry = entries[key], entry.writer == nil { entries[key] = nil }
        }
    }

    /// The one of a database.
    public static func of(_ database: Database) -> BackgroundWriter {
        entriesOfProcess.value.withLock { entries in
            let key = ObjectIdentifier(database)
            if let known = entries[key]?.writer { return known }
            let writer = BackgroundWriter(database)
            entries[key] = Entry(writer: writer)
            return writer
        }
    }

    // MARK: The lock

    /// Asks for the write lock. Requests are served in order. `handler` is called on another
    /// thread when the request is answered, unless it was cancelled.
    public func requestLock(_ handler: @escaping @Sendable () -> Void) -> WriteLockRequest {
        let writer = database.writer
        let request = WriteLockRequest(writer)
        // Queues do nothing in a forked child, so the caller waits there.
        if System.isForkedChild {
            Self.obtainLock(writer, for: request, handler)
        } else {
            // Keeps the database open.
            lockQueue.async { [self] in
                if Self.obtainLock(database.writer, for: request, handler) {
                    request.waitUntilTaken()
                }
            }
        }
        return request
    }

    @discardableResult
    private static func obtainLock(
        _ writer: Writer, for request: WriteLockRequest,
        _ handler: @Sendable () -> Void
    ) -> Bool {
        // Also if nobody wants the lock any more: ``Writer/tryLock()`` may have left work to do.
        do throws(StorageError) { try writer.lockToBeginAtOnce() } catch {
            request.fail(error)
            handler()
            return false
        }
        guard request.offer() else {
            writer.unlock()
            return false
        }
        handler()
        return true
    }

    // MARK: The disk

    /// Writes a group, unless somebody else does, and calls `whenDone` on another thread when it is
    /// durable or has failed. Groups are given in the order of their versions; so are the calls.
    func finish(_ group: CommitGroup, whenDone: @escaping @Sendable (StorageError?) -> Void) {
        let commit = Commit(database: database, group: group, whenDone: whenDone)
        if System.isForkedChild { return whenDone(Self.outcome(of: commit)) }
        let starts = state.withLock { state in
            state.commits.append(commit)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { commitQueue.async { [state] in Self.finishAll(state) } }
    }

    /// Whoever is told of the last commit finds the database closed once nobody else uses it: no
    /// reference to it is left here by then.
    private static func finishAll(_ state: Locked<State>) {
        while true {
            var commits = state.withLock { state in
                defer { state.commits = [] }
                if state.commits.isEmpty { state.isRunning = false }
                return state.commits
            }
            if commits.isEmpty { return }
            // In reverse order, so that each is removed, and released, before anybody is told.
            commits.reverse()
            var hasToldFailure = false
            while let whenDone = commits.last?.whenDone {
                if planted(.completesBeforeSync) { whenDone(nil) }
                let error = commits.popLast().flatMap(outcome)
                if planted(.completesBeforeSync) { continue }
                whenDone(planted(.tellsFailureOnce) && hasToldFailure ? nil : error)
                hasToldFailure = hasToldFailure || error != nil
            }
        }
    }

    private static func outcome(of commit: Commit) -> StorageError? {
        do throws(StorageError) {
            _ = try commit.database.writer.commits.waitUntilDurable(commit.group)
            return nil
        } catch {
            return error
        }
    }
}
