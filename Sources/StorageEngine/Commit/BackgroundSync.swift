import Dispatch

/// Makes commits durable that did not wait for the disk: within ``delay`` of the first of them.
///
/// Used by any thread.
final class BackgroundSync: Sendable {
    /// Half of what a loss of power may cost, for the sync itself takes time.
    static let delay = DispatchTimeInterval.milliseconds(50)

    private let file: PageFile
    private let coordinator: Coordinator
    private let schedule = Locked(SyncSchedule())
    /// Runs one sync at a time.
    private let queue = DispatchQueue(label: "realm.background-sync")

    init(file: PageFile, coordinator: Coordinator) {
        self.file = file
        self.coordinator = coordinator
    }

    /// A commit has been written, and not synced. `reusable`: the version up to which freed space may
    /// be reused when it is durable. `holdsMuch`: much space waits for a sync.
    func note(_ record: CommitRecord, reusable: UInt64, holdsMuch: Bool) {
        let commit = SyncSchedule.Commit(
            version: record.version, sequence: record.sequence, reusable: reusable)
        let start = schedule.withLock {
            $0.note(commit, durable: record.durableFloor, holdsMuch: holdsMuch)
        }
        guard let start else { return }
        // The file is poisoned if this fails: the next writer is told.
        let sync: @Sendable () -> Void = { [weak self] in try? self?.sync() }
        switch start {
        case .atOnce: queue.async(execute: sync)
        case .later: queue.asyncAfter(deadline: .now() + Self.delay, execute: sync)
        }
    }

    /// Makes durable what has been noted. Returns when it is.
    func syncNow() throws(StorageError) {
        try queue.sync { Result { () throws(StorageError) in try sync() } }.get()
    }

    /// Makes durable what has been noted, and does nothing from then on, also not what the clock was
    /// started for. Before the file is closed and the memory that the coordinator shares is gone.
    func stop() throws(StorageError) {
        let result = queue.sync {
            let result = Result { () throws(StorageError) in try sync() }
            schedule.withLock { $0.stop() }
            return result
        }
        try result.get()
    }

    private func sync() throws(StorageError) {
        let newest = schedule.withLock { $0.begin(durableVersion: coordinator.durableVersion) }
        guard let newest else { return }
        defer { schedule.withLock { $0.end() } }
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
        if let newest = schedule.withLock({ $0.newest }) { publish(newest) }
    }

    private func publish(_ commit: SyncSchedule.Commit) {
        coordinator.publishDurable(version: commit.version, sequence: commit.sequence)
        coordinator.publishReusable(version: commit.reusable)
    }
}
