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

    /// A commit has been written, and not synced. `holdsMuch`: much waits for a sync.
    func note(_ record: CommitRecord, holdsMuch: Bool) {
        let commit = SyncSchedule.Commit(version: record.version, sequence: record.sequence)
        let start = schedule.withLock { $0.note(commit, holdsMuch: holdsMuch) }
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
        guard schedule.withLock({ $0.begin(durableVersion: coordinator.durableVersion) })
        else { return }
        defer { schedule.withLock { $0.end() } }
        while !coordinator.beginSync() { System.sleep(nanoseconds: Self.patience) }
        defer { coordinator.endSync() }
        let newest = try announce()
        do throws(StorageError) {
            if !planted(.marksUnsynced) { try file.sync() }
        } catch {
            coordinator.poison()
            throw error
        }
        coordinator.publishDurable(version: newest.version, sequence: newest.sequence)
    }

    /// Between two looks whether another process still syncs.
    private static let patience: UInt64 = 500_000

    /// Announces that the newest visible version is going to be durable, and returns it.
    private func announce() throws(StorageError) -> SyncSchedule.Commit {
        while true {
            let version = coordinator.visibleVersion
            var commit = schedule.withLock { $0.newest }
            if commit?.version != version {
                // Of another process, or not noted yet.
                commit = try file.readRecord(of: version, newestIn: coordinator).map {
                    SyncSchedule.Commit(version: version, sequence: $0.sequence)
                }
                guard commit != nil || coordinator.visibleVersion != version else {
                    throw file.damage(0, "the commit record of version \(version) is not valid")
                }
            }
            if let commit, coordinator.announceSync(of: version, commit.sequence) { return commit }
        }
    }
}
