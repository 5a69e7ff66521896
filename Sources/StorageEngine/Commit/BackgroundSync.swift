import Dispatch

/// Makes relaxed commits durable: a sync begins within ``delay`` of the first commit that it
/// covers.
///
/// Used by any thread.
final class BackgroundSync: Sendable {
    /// Half of the time whose commits a power loss may undo, because the sync itself takes time.
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

    /// A commit has been written and not synced. `exceedsBudget`: whether so much waits for a sync
    /// that it should begin at once.
    func note(_ record: CommitRecord, exceedsBudget: Bool) {
        let commit = SyncSchedule.Commit(version: record.version, sequence: record.sequence)
        let start = schedule.withLock { $0.note(commit, exceedsBudget: exceedsBudget) }
        guard let start else { return }
        // Queues do nothing in a forked child, so the commit waits for the disk.
        if System.isForkedChild {
            try? syncNow()
            return
        }
        // If this fails, the file is poisoned, and the next writer is told.
        let sync: @Sendable () -> Void = { [weak self] in try? self?.sync() }
        switch start {
        case .atOnce: queue.async(execute: sync)
        case .later: queue.asyncAfter(deadline: .now() + Self.delay, execute: sync)
        }
    }

    /// Makes all noted commits durable, and returns when they are.
    func syncNow() throws(StorageError) {
        try queue.sync { Result { () throws(StorageError) in try sync() } }.get()
    }

    /// Makes all noted commits durable, and does nothing from then on; scheduled syncs do nothing
    /// either. Before the file is closed and the memory that the coordinator shares is unmapped.
    func stop() throws(StorageError) {
        let result = queue.sync {
            let result = Result { () throws(StorageError) in try sync() }
            schedule.withLock { $0.stop() }
            return result
        }
        try result.get()
    }

    /// Makes the newest version durable for another process, which may have died. Does not wait.
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

    /// Returns when this version is durable, by a sync of this process or another one.
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
            // If the turn was taken away, wait for the next one.
            if coordinator.finishSync(turn) { return }
        }
    }

    // MARK: The turn

    /// Time between two looks at whether another process still syncs.
    private static let nap: UInt64 = 500_000
    /// Time after which the other process may be stopped, and its turn is taken away. Doubled each
    /// time that a turn was taken away and the sync of the next one did not succeed in time either,
    /// so that one succeeds on the slowest disk.
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

    /// Announces that the newest visible version is about to be synced.
    private func announce() throws(StorageError) {
        while true {
            let version = coordinator.visibleVersion
            var commit = schedule.withLock { $0.newest }
            if commit?.version != version {
                // Another process made it, or it was not noted yet.
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
