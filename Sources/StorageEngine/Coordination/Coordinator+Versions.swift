/// The newest versions, and waiting for newer ones.
extension Coordinator {
    /// The newest version that readers may see.
    package var visibleVersion: UInt64 { region.visibleVersion.loadSequential() }

    /// The newest version that survives power loss: its pages are on the disk, or its record and
    /// those before it carry what is not.
    package var survivingVersion: UInt64 {
        max(durableVersion, region.recordedVersion.loadSequential())
    }

    /// The newest version whose pages are on the disk.
    package var durableVersion: UInt64 { region.durableVersion.loadAcquire() }

    /// The sequence number of the newest visible version's commit record. It may already be the
    /// next one: that of a version that is about to become visible, or whose writer died before it
    /// did.
    package var visibleSequence: UInt64 { region.visibleSequence.loadSequential() }

    /// The sequence number of the durable version's record, or of an older one.
    package var durableSequence: UInt64 { region.durableSequence.loadAcquire() }

    /// The version of the newest transaction that was to change the layout of tables. Whoever moves
    /// from an older version to this one, or a later one, may meet tables that it cannot read; if
    /// the transaction has failed, it only looks once.
    var layoutVersion: UInt64 { region.layoutVersion.loadAcquire() }

    /// Announces that the open write transaction changes the layout. Requires the write lock.
    func announceLayout(of version: UInt64) { region.layoutVersion.storeSequential(version) }

    /// Whether the visible version was adopted by a process that could not make it durable.
    package var needsRecovery: Bool { region.needsRecovery.loadAcquire() != 0 }

    /// Publishes the visible version as durable, after a delayed recovery. Requires the write lock.
    package func finishDelayedRecovery() {
        publishDurable(version: visibleVersion, sequence: visibleSequence)
        region.needsRecovery.storeRelease(0)
    }

    /// Returns the slots that may hold the newest records: the original ones, and the extension if
    /// the file has one. Must be called after the newest sequence number is known.
    func ring(from ring: CommitRing) -> CommitRing {
        let page = region.extensionPage.loadSequential()
        return ring.extended(at: page, since: region.extensionSequence.loadSequential())
    }

    /// Returns the place of the record with this sequence number, if it is one of the newest 64.
    func recordPlace(of sequence: UInt64, in ring: CommitRing) -> RecordPlace {
        let page = region.recordPage(of: sequence).loadAcquire()
        return page == 0 ? ring.place(of: sequence) : .page(page)
    }

    /// Announces that the next record, or a later one, may be in slots of this ring. Must be called
    /// before that record becomes visible.
    func note(_ ring: CommitRing) { region.note(ring) }

    /// Returns the sequence number of the record that follows `newest`, the newest record: the next
    /// number whose slot holds no record that is still needed.
    ///
    /// The newest record, the durable one, and the one that is being made durable are needed, each
    /// with the records since its checkpoint, because power loss or the death of the writer may
    /// lead back to them. `ring` is that of the newest record. Requires the write lock.
    func sequence(after newest: UInt64, in ring: CommitRing) -> UInt64 {
        var next = newest + 1
        while ring.wouldReplace(neededBy: newest, sequence: next)
            || isSlotNeeded(of: next, in: ring)
        { next += 1 }
        return next
    }

    /// Whether the slot for the sequence number of a new record holds a record that is needed after
    /// power loss.
    func isSlotNeeded(of sequence: UInt64, in ring: CommitRing) -> Bool {
        if planted(.reusesUnsyncedSlots) { return false }
        // The announcement is read before the durable sequence number. A sync that has succeeded in
        // between is then found to be durable.
        let syncing = region.syncing?.sequence ?? 0
        let durable = durableSequence
        return syncing > durable && ring.wouldReplace(neededBy: syncing, sequence: sequence)
            || ring.wouldReplace(neededBy: durable, sequence: sequence)
    }

    /// Whether the next record that becomes visible is the first one since the file was opened.
    var isFirstNext: Bool {
        region.visibleSequence.loadSequential() == region.openedSequence.loadRelaxed()
    }

    /// Whether the record after the one with this number may be among the pages. The first two
    /// records since the file was opened may not: an opener that trusts a clean-close marker looks
    /// for them in their slots.
    func mayPutRecordAmongPages(after sequence: UInt64) -> Bool {
        sequence >= region.openedSequence.loadRelaxed() + 2
    }

    /// Makes a durable version visible, and wakes the threads that wait for it. `sequence` is that
    /// of its record; for `recordPage`, see ``RecordPlace/page``. Requires the write lock.
    package func publish(version: UInt64, sequence: UInt64, recordPage: UInt64 = 0) {
        // Visible comes first. A process that dies in between leaves a visible version that is
        // durable but not known to be, which only costs a sync. The other order could leave a
        // durable version that is not visible.
        publishVisible(version: version, sequence: sequence, recordPage: recordPage)
        publishDurable(version: version, sequence: sequence)
    }

    /// Makes a version visible whose record is on the disk and carries its changes. Its pages are
    /// not durable. Requires the write lock.
    func publishRecorded(version: UInt64, sequence: UInt64) {
        // Before it is visible: whoever sees a version that does not survive may sync it.
        region.recordedVersion.storeSequential(version)
        publishVisible(version: version, sequence: sequence)
    }

    /// Resets the visible sequence number to that of the visible version's record, after a writer
    /// died. `ring` is that of the same record. Requires the write lock.
    func withdrawSequence(to sequence: UInt64, _ ring: CommitRing) {
        region.visibleSequence.storeSequential(sequence)
        region.note(ring)
    }

    /// Publishes a version, and all before it, as durable. `sequence` is that of its record. May be
    /// called by any thread.
    package func publishDurable(version: UInt64, sequence: UInt64) {
        region.raiseDurable(to: version, sequence)
    }

    /// Whether a sync has failed since the first of the current users opened the file.
    package var isPoisoned: Bool { region.poisoned.loadAcquire() != 0 }

    /// Throws the error that every writer gets after a sync has failed in any process.
    func checkNotPoisoned() throws(StorageError) {
        guard isPoisoned else { return }
        throw StorageError(
            .outcomeUnknown, path: path,
            message: "The database at path '\(path)' cannot be written to since a sync failed; "
                + "close it in all processes and open it again")
    }

    /// Stops the writers of all processes until every process has closed the file, because the
    /// state that a failed sync left on disk is unknown.
    package func poison() {
        if planted(.poisonsNobody) { return }
        region.poisoned.storeRelease(1)
    }
}
