/// Syncs beside which others go on writing.
///
/// What a version that is not durable wrote, and no longer reaches, is written over as soon as no
/// reader needs it. A sync that is to make a version durable must therefore keep it whole while it
/// lasts: what it has not yet brought to the disk must not be replaced. So the version is announced
/// before the sync begins, and writers leave alone, as they do with the durable version, what it reaches
/// (``addVersionsOfRecovery(to:)``) and its record with those since its checkpoint
/// (``sequence(after:)``).
///
/// One process at a time syncs in this way (``SyncTurn``): records have room for one announcement. A
/// turn ends when its holder says so; when the holder has died, by whoever finds that
/// (``clearIfDead(processSlot:)``); or when it goes on for so long that its holder may be stopped, and
/// another process takes it away. Each process announces in its own slot, so that one which lost
/// its turn, and does not know it yet, changes nothing for its successor.
extension Coordinator {
    var syncTurn: SyncTurn { region.currentTurn }

    /// Takes the turn to sync. Nil while another process has it.
    package func beginSync() -> SyncTurn? {
        var present = syncTurn
        if let other = present.process {
            precondition(other != processSlot, "two syncs of one process beside its writers")
            if present.isDone { region.endTurn(present) } else { clearIfDead(processSlot: other) }
            present = syncTurn
        }
        return present.process == nil ? take(present) : nil
    }

    /// Takes a turn away from a process that has had it for long. Nil if it has gone on meanwhile.
    ///
    /// It may be alive after all. What it syncs then is not said to be durable (``finishSync(_:)``), so
    /// the work of a slow disk is lost: whoever does this waits longer each time
    /// (``syncTakeovers``).
    func takeOverSync(_ turn: SyncTurn) -> SyncTurn? {
        guard syncTurn == turn else { return nil }
        guard let mine = take(turn) else { return nil }
        _ = region.syncTakeovers.fetchAdd(1)
        return mine
    }

    /// How often a turn was taken away since a sync succeeded.
    var syncTakeovers: UInt32 { region.syncTakeovers.loadAcquire() }

    private func take(_ turn: SyncTurn) -> SyncTurn? {
        let mine = turn.next(of: processSlot)
        let isMine = region.syncTurn.compareExchange(expected: turn.word, desired: mine.word)
        return isMine ? mine : nil
    }

    /// Says which version the sync is going to make durable. `sequence`: of its record. False if there
    /// is a newer version already: then the sync has to be announced for that.
    ///
    /// Why nothing is missed: a writer publishes its version and then looks for announcements, before
    /// it writes the next. One that was stored too late to be seen is stored after that version was
    /// published, so the visible version is found to be another one.
    package func announceSync(of version: UInt64, _ sequence: UInt64) -> Bool {
        if !planted(.announcesNoSync) {
            let slot = region.processSlot(processSlot)
            slot.syncingVersion.storeSequential(version)
            slot.syncingSequence.storeSequential(sequence)
        }
        return visibleVersion == version
    }

    /// The sync of this turn has succeeded: what was announced is durable. False if the turn was taken
    /// away, and nothing is known then: writers may have replaced what the sync was to keep.
    ///
    /// Two steps, because its holder may be stopped between them: whoever finds the turn done says the
    /// rest for it, before it begins a turn of its own.
    package func finishSync(_ turn: SyncTurn) -> Bool {
        guard region.syncTurn.compareExchange(expected: turn.word, desired: turn.done.word)
        else { return false }
        region.endTurn(turn.done)
        region.syncTakeovers.storeRelease(0)
        return true
    }

    /// The sync of this turn failed, or there is nothing to sync.
    func abandonSync(_ turn: SyncTurn) {
        _ = region.syncTurn.compareExchange(expected: turn.word, desired: turn.ended.word)
    }

    /// Adds the versions that a loss of power may lead back to: the durable one, and the one that a
    /// sync under way is making durable. Returns the former.
    func addVersionsOfRecovery(to versions: inout [UInt64]) -> UInt64 {
        // In this order: what is no longer being synced is durable.
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

    /// What the present turn was announced for; nil if it is nobody's.
    var syncing: (version: UInt64, sequence: UInt64)? {
        guard let process = currentTurn.process, process < usedProcessSlots else { return nil }
        let slot = processSlot(process)
        return (slot.syncingVersion.loadSequential(), slot.syncingSequence.loadSequential())
    }

    /// Ends a turn for whoever has it, unless that has happened meanwhile. If it is done, its version
    /// is said to be durable before.
    func endTurn(_ turn: SyncTurn) {
        if turn.isDone, let announced = syncing {
            // The words are those of this turn as long as it is: its holder has stored them before, and
            // stores others in another turn only.
            guard currentTurn == turn else { return }
            raiseDurable(to: announced.version, announced.sequence)
        }
        _ = syncTurn.compareExchange(expected: turn.word, desired: turn.ended.word)
    }

    /// Says that a version, and all before it, are durable. `sequence`: of its record.
    func raiseDurable(to version: UInt64, _ sequence: UInt64) {
        // In this order: the sequence number is never ahead of the version.
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
