/// Syncs that do not block writers.
///
/// Pages that a version wrote, and that later versions no longer reach, are reused as soon as no
/// reader needs them. While a sync is making that version durable, however, these pages must stay
/// intact: contents that are not on the disk yet must not be replaced. So the version is announced
/// before the sync begins. Writers then leave alone the pages that it reaches
/// (``addVersionsOfRecovery(to:)``), and its record with those since its checkpoint
/// (``sequence(after:in:)``), as they do for the durable version.
///
/// One process at a time syncs in this way (``SyncTurn``), because the slots for records suffice
/// for one announcement. A turn ends in one of three ways:
/// - Its holder ends it.
/// - The holder has died, and another process notices that (``clearIfDead(processSlot:)``).
/// - The turn lasts for so long that its holder may have been stopped, and another process takes it
///   over.
///
/// Each process announces in its own slot. So a process that has lost its turn without noticing
/// does not interfere with its successor.
extension Coordinator {
    var syncTurn: SyncTurn { region.currentTurn }

    /// Takes the turn to sync. Returns nil while another process has it.
    package func beginSync() -> SyncTurn? {
        var present = syncTurn
        if let other = present.process {
            precondition(other != processSlot, "two syncs of one process beside its writers")
            if present.isDone { region.endTurn(present) } else { clearIfDead(processSlot: other) }
            present = syncTurn
        }
        return present.process == nil ? take(present) : nil
    }

    /// Takes over a turn from a process that has held it for a long time. Returns nil if the turn
    /// has changed in the meantime.
    ///
    /// That process may be alive after all. The result of its sync is then not published
    /// (``finishSync(_:)``), and the work of a slow disk is lost. So processes wait longer before
    /// each further takeover (``syncTakeovers``).
    func takeOverSync(_ turn: SyncTurn) -> SyncTurn? {
        guard syncTurn == turn else { return nil }
        guard let mine = take(turn) else { return nil }
        _ = region.syncTakeovers.fetchAdd(1)
        return mine
    }

    /// The number of turns that were taken over since a sync last succeeded.
    var syncTakeovers: UInt32 { region.syncTakeovers.loadAcquire() }

    private func take(_ turn: SyncTurn) -> SyncTurn? {
        let mine = turn.next(of: processSlot)
        let isMine = region.syncTurn.compareExchange(expected: turn.word, desired: mine.word)
        return isMine ? mine : nil
    }

    /// Announces the version that the sync will make durable. `sequence` is that of its record.
    /// Returns false if a newer version exists already; then the sync must be announced for that
    /// one.
    ///
    /// No announcement is missed: a writer publishes its version, and looks for announcements
    /// before it writes the next one. An announcement that was stored too late to be seen was
    /// stored after that version was published. The visible version is then found to be another
    /// one.
    package func announceSync(of version: UInt64, _ sequence: UInt64) -> Bool {
        if !planted(.announcesNoSync) {
            let slot = region.processSlot(processSlot)
            slot.syncingVersion.storeSequential(version)
            slot.syncingSequence.storeSequential(sequence)
        }
        return visibleVersion == version
    }

    /// Publishes the announced version as durable after the sync of this turn has succeeded.
    /// Returns false if the turn was taken over. Nothing is known about the sync then, because
    /// writers may have replaced pages that it needed.
    ///
    /// There are two steps, because the holder may be stopped between them. A process that finds
    /// the turn done performs the second step before it begins a turn of its own.
    package func finishSync(_ turn: SyncTurn) -> Bool {
        guard region.syncTurn.compareExchange(expected: turn.word, desired: turn.done.word)
        else { return false }
        region.endTurn(turn.done)
        region.syncTakeovers.storeRelease(0)
        return true
    }

    /// Ends a turn whose sync failed or was not needed.
    func abandonSync(_ turn: SyncTurn) {
        _ = region.syncTurn.compareExchange(expected: turn.word, desired: turn.ended.word)
    }

    /// Adds the versions that power loss may lead back to: the durable version, and the one that a
    /// current sync is making durable. Returns the durable version.
    func addVersionsOfRecovery(to versions: inout [UInt64]) -> UInt64 {
        // The announcement is read before the durable version. A sync that has succeeded in between
        // is then found to be durable.
        let syncing = region.syncing?.version ?? 0
        let durable = durableVersion
        for version in [durable, syncing] where version >= max(durable, 1) {
            if versions.last == version { continue }
            let index = versions.firstIndex { $0 >= version } ?? versions.endIndex
            if index == versions.endIndex || versions[index] != version {
                versions.insert(version, at: index)
            }
        }
        return durable
    }
}

extension SharedRegion {
    var currentTurn: SyncTurn { SyncTurn(word: syncTurn.loadSequential()) }

    /// The announcement of the current turn; nil if no process has the turn.
    var syncing: (version: UInt64, sequence: UInt64)? {
        guard let process = currentTurn.process, process < usedProcessSlots else { return nil }
        let slot = processSlot(process)
        return (slot.syncingVersion.loadSequential(), slot.syncingSequence.loadSequential())
    }

    /// Ends a turn on behalf of any process, unless it has ended already. If its sync is done,
    /// first publishes the version as durable.
    func endTurn(_ turn: SyncTurn) {
        if turn.isDone, let announced = syncing {
            // The announced words belong to `turn` if it is still current: its holder has stored
            // them before its sync, and stores others only in another turn.
            guard currentTurn == turn else { return }
            raiseDurable(to: announced.version, announced.sequence)
        }
        _ = syncTurn.compareExchange(expected: turn.word, desired: turn.ended.word)
    }

    /// Publishes a version, and all before it, as durable. `sequence` is that of its record.
    func raiseDurable(to version: UInt64, _ sequence: UInt64) {
        // The version is raised first, so that the sequence number is never ahead of it.
        Self.raise(durableVersion, to: version)
        Self.raise(durableSequence, to: sequence)
    }

    private static func raise(_ word: UnsafeMutablePointer<UInt64>, to value: UInt64) {
        var known = word.loadAcquire()
        while known < value {
            if word.compareExchange(expected: known, desired: value) { return }
            known = word.loadAcquire()
        }
    }
}
