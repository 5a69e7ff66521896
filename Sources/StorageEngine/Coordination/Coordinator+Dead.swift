/// Clearing what dead processes left in shared memory.
///
/// Everything that names a process slot is cleared in one place
/// (``SharedRegion/clearTraces(ofProcessSlot:)``). Either a process that looks for dead ones does
/// it, or the process that claims the slot, whichever comes first. If the claiming process cleared
/// less, the rest would be taken for its own, and no process would look again, because its lock is
/// held.
extension Coordinator {
    /// Clears the traces of all dead processes.
    func clearDeadProcesses() {
        for index in 0..<region.usedProcessSlots {
            if region.processSlot(index).isInUse.loadAcquire() != 0 {
                clearIfDead(processSlot: index)
            }
        }
    }

    /// Clears the traces of a process if it has died.
    ///
    /// Holding a process slot's lock gives the right to clear it: no other process clears or claims
    /// the slot in the meantime. The threads of this process share the descriptor and therefore the
    /// lock, so `clearingLock` serializes them.
    func clearIfDead(processSlot index: Int) {
        guard isShared, index != processSlot, !planted(.keepsPinsOfTheDead) else { return }
        clearingLock.withLock {
            let range = LockRanges.process(index)
            // If locking fails, the slot is left alone: its pins only cost space.
            guard (try? System.tryLock(lockFile, .exclusive, on: range)) == true else { return }
            region.clearTraces(ofProcessSlot: index)
            try? System.unlock(lockFile, range)
        }
    }
}

extension SharedRegion {
    /// Clears everything that names a process slot. The slot's lock must be held. If the process is
    /// killed on the way, the next one repeats it, because the slot counts as in use until the end.
    func clearTraces(ofProcessSlot index: Int) {
        let slot = processSlot(index)
        clearPins(ofProcessSlot: index)
        let turn = currentTurn
        if turn.process == index { endTurn(turn) }
        if slot.waitingTicket.exchange(0) != 0 {
            _ = waitingProcessCount.fetchAdd(UInt32.max)
        }
        let sleepers = slot.sleeperCount.exchange(0)
        if sleepers != 0 { _ = sleeperCount.fetchAdd(0 &- sleepers) }
        if planted(.countsDeadSleepersTwice) { _ = sleeperCount.fetchAdd(0 &- sleepers) }
        endSleepOfWatch(ofProcessSlot: index)
        if slot.isInUse.exchange(0) != 0 { _ = processCount.fetchAdd(UInt32.max) }
    }

    /// Frees all pin slots of a process slot. The slot's lock must be held.
    func clearPins(ofProcessSlot process: Int) {
        let owner = UInt32(process) + 1
        for index in 0..<usedPinSlots {
            let slot = pinSlot(index)
            guard slot.owner.loadAcquire() == owner else { continue }
            // The pins are cleared first: once the owner is 0, another process may take the slot.
            slot.clear()
            slot.owner.storeRelease(0)
        }
    }
}
