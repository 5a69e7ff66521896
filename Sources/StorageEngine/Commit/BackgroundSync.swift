import Dispatch

/// Makes commits durable that did not wait for the disk: within ``delay`` of the first of them.
///
/// Used by any thread.
final class BackgroundSync: Sendable {
    /// Half of what a loss of power may cost, for the sync itself takes time.
    static let delay = DispatchTimeInterval.milliseconds(50)

    private typealias Noted = (version: UInt64, sequence: UInt64, reusable: UInt64)

    private struct State {
        /// The newest commit that may not be durable.
        var newest: Noted?
        var isScheduled = false
        var isUrgent = false
        var isStopped = false
    }

    private let file: PageFile
    private let coordinator: Coordinator
    private let state = Locked(State())
    /// Runs one sync at a time.
    private let queue = DispatchQueue(label: "realm.background-sync")

    init(file: PageFile, coordinator: Coordinator) {
        self.file = file
        self.coordinator = coordinator
    }

    /// A commit has been written, and not synced. `reusable`: the version up to which freed space may
    /// be reused when it is durable. `isUrgent`: the sync should start at once.
    func note(_ record: CommitRecord, reusable: UInt64, isUrgent: Bool) {
        let delay = state.withLock { state -> DispatchTimeInterval? in
            state.newest = (record.version, record.sequence, reusable)
            if isUrgent, !state.isUrgent {
                state.isUrgent = true
                return .nanoseconds(0)
            }
            defer { state.isScheduled = true }
            return state.isScheduled ? nil : Self.delay
        }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            // The file is poisoned if this fails: the next writer is told.
            try? self?.sync()
        }
    }

    /// Makes durable what has been noted. Returns when it is.
    func syncNow() throws(StorageError) {
        try queue.sync { Result { () throws(StorageError) in try sync() } }.get()
    }

    /// Makes durable what has been noted, and does nothing from then on. Before the file is closed.
    func stop() throws(StorageError) {
        let result = queue.sync {
            let result = Result { () throws(StorageError) in try sync() }
            state.withLock { $0.isStopped = true }
            return result
        }
        try result.get()
    }

    private func sync() throws(StorageError) {
        let newest = state.withLock { state in
            state.isScheduled = false
            state.isUrgent = false
            return state.isStopped ? nil : state.newest
        }
        guard let newest, coordinator.durableVersion < newest.version else { return }
        do throws(StorageError) {
            if !planted(.marksUnsynced) { try file.sync() }
        } catch {
            coordinator.poison()
            throw error
        }
        publish(newest)
    }

    /// Tells everybody that what has been noted is durable. After somebody else's sync that began
    /// when nothing was being written.
    func publishNoted() {
        if let newest = state.withLock({ $0.newest }) { publish(newest) }
    }

    private func publish(_ noted: Noted) {
        coordinator.publishDurable(version: noted.version, sequence: noted.sequence)
        coordinator.publishReusable(version: noted.reusable)
    }
}
