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
        // Queues do nothing in a forked child: whoever commits waits for the disk.
        if System.isForkedChild {
            try? syncNow()
            return
        }
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

    /// Makes the newest version durable, whoever wrote it: that process may have died. Does not wait.
    func takeOver() {
        guard schedule.withLock({ $0.askToTakeOver() }) else { return }
        queue.async { [weak self] in try? self?.syncForOthers() }
    }

    private func syncForOthers() throws(StorageError) {
        guard schedule.withLock({ $0.beginToTakeOver() }) else { return }
        defer { schedule.withLock { $0.end() } }
        coordinator.clearDeadProcesses()
        try makeDurable(coordinator.visibleVersion)
    }

    private func sync() throws(StorageError) {
        guard
            let wanted = schedule.withLock({ $0.begin(durableVersion: coordinator.durableVersion) })
        else { return }
        defer { schedule.withLock { $0.end() } }
        try makeDurable(wanted)
    }

    /// Returns when this version is durable, whoever synced it.
    private func makeDurable(_ wanted: UInt64) throws(StorageError) {
        while let turn = waitForTurn(until: wanted) {
            do throws(StorageError) {
                try announce()
            } catch {
                coordinator.abandonSync(turn)
                throw error
            }
            do throws(StorageError) {
                if !planted(.marksUnsynced) { try file.sync() }
                try coordinator.checkNotPoisoned()
            } catch {
                coordinator.poison()
                coordinator.abandonSync(turn)
                throw error
            }
            // If the turn was taken away, the next one is waited for.
            if coordinator.finishSync(turn) { return }
        }
    }

    // MARK: The turn

    /// Between two looks whether another process still syncs.
    private static let nap: UInt64 = 500_000
    /// After so long the other process may be stopped. Twice as long after each time that a turn was
    /// taken away and the sync of the next one did not succeed in that time, so that one does on the
    /// slowest disk.
    private static let patience: UInt64 = 1_000_000_000
    private static let mostDoublings: UInt32 = 6

    /// Waits until this process may sync; nil if the version has become durable meanwhile.
    private func waitForTurn(until wanted: UInt64) -> SyncTurn? {
        var other = coordinator.syncTurn
        var since = System.monotonicNanoseconds
        while coordinator.durableVersion < wanted {
            if let turn = coordinator.beginSync() { return turn }
            let present = coordinator.syncTurn
            let now = System.monotonicNanoseconds
            if present != other {
                (other, since) = (present, now)
            } else if now - since >= patience, !planted(.waitsForStoppedSync),
                let turn = coordinator.takeOverSync(present)
            {
                return turn
            }
            System.sleep(nanoseconds: Self.nap)
        }
        return nil
    }

    private var patience: UInt64 {
        Self.patience << UInt64(min(coordinator.syncTakeovers, Self.mostDoublings))
    }

    /// Announces that the newest visible version is going to be durable.
    private func announce() throws(StorageError) {
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
            if let commit, coordinator.announceSync(of: version, commit.sequence) { return }
        }
    }
}
