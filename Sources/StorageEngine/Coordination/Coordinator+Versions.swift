/// The newest versions, and waiting for newer ones.
extension Coordinator {
    /// The newest version that readers may see.
    package var visibleVersion: UInt64 { region.visibleVersion.loadSequential() }

    /// The newest version that survives a loss of power.
    package var durableVersion: UInt64 { region.durableVersion.loadAcquire() }

    /// The sequence number of the newest visible version's commit record; or already the next one,
    /// of a version that is about to become visible, or whose writer died before it did.
    package var visibleSequence: UInt64 { region.visibleSequence.loadSequential() }

    /// The sequence number of a record that survives a loss of power: the durable version's, or an
    /// older one.
    package var durableSequence: UInt64 { region.durableSequence.loadAcquire() }

    /// Whether the visible version was adopted by a process that could not make it durable.
    package var needsRecovery: Bool { region.needsRecovery.loadAcquire() != 0 }

    /// The visible version has been made durable. Only while writing.
    package func finishDelayedRecovery() {
        publishDurable(version: visibleVersion, sequence: visibleSequence)
        region.needsRecovery.storeRelease(0)
    }

    /// The slots that the newest records may be in: those that the file was made with, and the others
    /// if it has got them. Asked after the newest number is known.
    func ring(from ring: CommitRing) -> CommitRing {
        let page = region.extensionPage.loadSequential()
        return ring.extended(at: page, since: region.extensionSequence.loadSequential())
    }

    /// Where the record with this number was put, if it is one of the newest 64.
    func recordPlace(of sequence: UInt64, in ring: CommitRing) -> RecordPlace {
        let page = region.recordPage(of: sequence).loadAcquire()
        return page == 0 ? ring.place(of: sequence) : .page(page)
    }

    /// The next record, or one after it, may be in slots of this ring. Before it becomes visible.
    func note(_ ring: CommitRing) { region.note(ring) }

    /// The number of the record after the one with this number, which is the newest: the next one
    /// whose slot holds nothing that a loss of power, or the end of the writer, leads back to. That
    /// are the newest record, the durable one, and the one that is being made durable, each with
    /// those since its checkpoint. Only with the write lock. `ring`: the newest record's.
    func sequence(after newest: UInt64, in ring: CommitRing) -> UInt64 {
        var next = newest + 1
        while ring.wouldReplace(neededBy: newest, sequence: next)
            || isSlotNeeded(of: next, in: ring)
        { next += 1 }
        return next
    }

    /// Whether the slot of a new record's number holds what a loss of power leads back to.
    func isSlotNeeded(of sequence: UInt64, in ring: CommitRing) -> Bool {
        if planted(.reusesUnsyncedSlots) { return false }
        // In this order: what is no longer being synced is durable.
        let syncing = region.syncing?.sequence ?? 0
        let durable = durableSequence
        return syncing > durable && ring.wouldReplace(neededBy: syncing, sequence: sequence)
            || ring.wouldReplace(neededBy: durable, sequence: sequence)
    }

    /// Whether the next record that becomes visible is the first since the file was opened.
    var isFirstNext: Bool {
        region.visibleSequence.loadSequential() == region.openedSequence.loadRelaxed()
    }

    /// Whether the record after this one may be among the pages: not the first two since the file was
    /// opened, which whoever believes a clean-close marker looks for in their slots.
    func mayPutRecordAmongPages(after record: CommitRecord) -> Bool {
        record.sequence >= region.openedSequence.loadRelaxed() + 2
    }

    /// Makes a durable version visible and wakes whoever waits for it. `sequence`: of its record,
    /// `recordPage`: see ``RecordPlace/page``. Only while writing.
    package func publish(version: UInt64, sequence: UInt64, recordPage: UInt64 = 0) {
        // In this order: who dies in between leaves a visible version that is durable without
        // being known as such, which costs a sync; never a durable one that is not visible.
        publishVisible(version: version, sequence: sequence, recordPage: recordPage)
        publishDurable(version: version, sequence: sequence)
    }

    /// After a writer died: `sequence` is that of the visible version's record. Only while writing.
    /// `ring`: what it says.
    func withdrawSequence(to sequence: UInt64, _ ring: CommitRing) {
        region.visibleSequence.storeSequential(sequence)
        region.note(ring)
    }

    /// Makes a version visible that may not be durable yet. Only while writing.
    package func publishVisible(version: UInt64, sequence: UInt64, recordPage: UInt64 = 0) {
        assert(version >= region.visibleVersion.loadRelaxed(), "versions only go forward")
        region.recordPage(of: sequence).storeRelease(recordPage)
        region.visibleSequence.storeSequential(sequence)
        region.visibleVersion.storeSequential(version)
        // Pairs with `waitForVersion`: it counts itself before it sleeps, this looks at the count
        // after it has changed the word.
        region.wakeUpWord.storeSequential(UInt32(truncatingIfNeeded: version))
        if region.sleeperCount.loadSequential() != 0 {
            System.wake(region.wakeUpWord, isShared: true)
        }
    }

    /// Says that a version, and all before it, are durable. `sequence`: of its record. Any thread.
    package func publishDurable(version: UInt64, sequence: UInt64) {
        region.raiseDurable(to: version, sequence)
    }

    /// Blocks the calling thread until a version newer than `version` is visible, at most for
    /// `timeout` (nil: without limit), and returns the newest visible version.
    package func waitForVersion(newerThan version: UInt64, timeout: Duration? = nil) -> UInt64 {
        let clock = ContinuousClock()
        let deadline = timeout.map { clock.now + $0 }
        // In this order: who is killed in between leaves the sum too high, never too low.
        let own = region.processSlot(processSlot).sleeperCount
        _ = region.sleeperCount.fetchAdd(1)
        _ = own.fetchAdd(1)
        defer {
            _ = own.fetchAdd(UInt32.max)
            _ = region.sleeperCount.fetchAdd(UInt32.max)
        }
        while true {
            let word = region.wakeUpWord.loadSequential()
            let newest = visibleVersion
            if newest > version { return newest }
            var remaining: Duration?
            if let deadline {
                remaining = clock.now.duration(to: deadline)
                if remaining! <= .zero { return newest }
            }
            System.wait(
                on: region.wakeUpWord, while: word, timeout: remaining, isShared: true)
        }
    }

    /// Wakes all threads, in all processes, that sleep in `waitForVersion`; they look again and,
    /// with no newer version, sleep on unless their time is over.
    package func wakeWaiters() {
        System.wake(region.wakeUpWord, isShared: true)
    }

    /// Whether a sync failed since the first of the present users opened the file.
    package var isPoisoned: Bool { region.poisoned.loadAcquire() != 0 }

    /// Throws what every writer is told when a sync has failed, of whichever process.
    func checkNotPoisoned() throws(StorageError) {
        guard isPoisoned else { return }
        throw StorageError(
            .outcomeUnknown, path: path,
            message: "The database at path '\(path)' cannot be written to since a sync failed; "
                + "close it in all processes and open it again")
    }

    /// Stops all writers of all processes until every process has closed the file: what a failed
    /// sync left on disk is not known.
    package func poison() {
        if planted(.poisonsNobody) { return }
        region.poisoned.storeRelease(1)
    }
}
