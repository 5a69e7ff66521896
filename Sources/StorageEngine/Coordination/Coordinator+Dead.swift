/// What processes leave in shared memory that died.
///
/// Everything there that names a process slot is taken back in one place
/// (``SharedRegion/clearTraces(ofProcessSlot:)``), and by whoever comes first: one that looks for the
/// dead, or one that claims the slot. A process that claimed a slot and took back less would
/// be taken for the dead one, and nobody would look again, as its lock is held.
extension Coordinator {
    /// Clears what processes left behind that died.
    func clearDeadProcesses() {
        for index in 0..<region.usedProcessSlots {
            if region.processSlot(index).isInUse.loadAcquire() != 0 {
                clearIfDead(processSlot: index)
            }
        }
    }

    /// Holding a process slot's lock gives the right to clear it: nobody else does, and nobody claims
    /// the process slot, in the meantime. Threads of this process share the descriptor and hence the
    /// lock, so they take turns.
    func clearIfDead(processSlot index: Int) {
        guard isShared, index != processSlot, !planted(.keepsPinsOfTheDead) else { return }
        clearingLock.withLock {
            let range = LockRanges.process(index)
            // A failure to lock is a reason to leave the slot alone: its pins only cost space.
            guard (try? System.tryLock(lockFile, .exclusive, range)) == true else { return }
            region.clearTraces(ofProcessSlot: index)
            try? System.unlock(lockFile, range)
        }
    }
}

extension SharedRegion {
    /// Takes back all that names a process slot. Only with that slot's lock held. Killed on the way, it
    /// is done again: the slot counts as in use until the end.
    func clearTraces(ofProcessSlot index: Int) {
        let slot = processSlot(index)
        clearPins(ofProcessSlot: index)
        let turn = currentTurn
        if turn.process == index { endTurn(turn) }
        if slot.isWaitingToWrite.exchange(0) != 0 {
            _ = waitingProcessCount.fetchAdd(UInt32.max)
        }
        let sleepers = slot.sleeperCount.exchange(0)
        if sleepers != 0 { _ = sleeperCount.fetchAdd(0 &- sleepers) }
        endSleepOfWatch(ofProcessSlot: index)
        if slot.isInUse.exchange(0) != 0 { _ = processCount.fetchAdd(UInt32.max) }
    }

    /// Frees all pin slots of a process slot. Only with that slot's lock held.
    func clearPins(ofProcessSlot process: Int) {
        let owner = UInt32(process) + 1
        for index in 0..<usedPinSlots {
            let slot = pinSlot(index)
            guard slot.owner.loadAcquire() == owner else { continue }
            // In this order: once the owner is 0, the slot may be another's.
            slot.version.storeSequential(0)
            slot.owner.storeRelease(0)
        }
    }
}
