/// Syncs beside which others go on writing.
///
/// What a version that is not durable wrote, and no longer reaches, is written over as soon as no
/// reader needs it. A sync that is to make a version durable must therefore keep it whole while it
/// lasts: what it has not yet brought to the disk must not be replaced. So the version is announced
/// before the sync begins, and writers leave alone, as they do with the durable version, what it reaches
/// (``addVersionsOfRecovery(to:)``) and its record with those since its checkpoint
/// (``sequence(after:)``).
///
/// One process at a time syncs in this way. If it dies, whoever finds it dead takes the announcement
/// back (``clearIfDead(processSlot:)``).
extension Coordinator {
    /// Makes this process the one that syncs. False while another one does.
    func beginSync() -> Bool {
        let this = UInt32(processSlot) + 1
        if region.syncingProcess.compareExchange(expected: 0, desired: this) { return true }
        let other = region.syncingProcess.loadAcquire()
        precondition(other != this, "two syncs of one process beside its writers")
        if other != 0 { clearIfDead(processSlot: Int(other) - 1) }
        return false
    }

    /// Says which version the sync is going to make durable. `sequence`: of its record. False if there
    /// is a newer version already: then the sync has to be announced for that.
    ///
    /// Why nothing is missed: a writer publishes its version and then looks for announcements, before
    /// it writes the next. One that was stored too late to be seen is stored after that version was
    /// published, so the visible version is found to be another one.
    func announceSync(of version: UInt64, _ sequence: UInt64) -> Bool {
        if !planted(.announcesNoSync) {
            region.syncingVersion.storeSequential(version)
            region.syncingSequence.storeSequential(sequence)
        }
        return visibleVersion == version
    }

    /// After ``publishDurable(version:sequence:)``, or when the sync failed.
    func endSync() { region.clearSync() }

    /// Adds the versions that a loss of power may lead back to: the durable one, and the one that a
    /// sync under way is making durable. Returns the former.
    func addVersionsOfRecovery(to versions: inout [UInt64]) -> UInt64 {
        // In this order: what is no longer being synced is durable.
        let syncing = region.syncingVersion.loadSequential()
        let durable = durableVersion
        for version in [durable, syncing] where version != 0 && versions.last != version {
            let index = versions.firstIndex { $0 >= version } ?? versions.endIndex
            if index == versions.endIndex || versions[index] != version {
                versions.insert(version, at: index)
            }
        }
        return durable
    }
}

extension SharedRegion {
    /// Takes an announcement back. For the process that made it, or whoever has its slot's lock.
    func clearSync() {
        syncingVersion.storeSequential(0)
        syncingSequence.storeSequential(0)
        syncingProcess.storeSequential(0)
    }
}
