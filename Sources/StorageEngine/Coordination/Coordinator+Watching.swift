import CRealmSystem

/// Telling other processes that a version comes which is not durable, so that they see to it if this
/// one dies.
extension Coordinator {
    /// Before a version is published that nobody has synced. Wakes those of other processes that look
    /// after it; they look for some time, so whatever moment this process dies at, it is seen.
    func willPublishUnsynced() {
        guard isShared else { return }
        _ = region.unsyncedSignal.fetchAdd(1)
        if region.processCount.loadSequential() > 1,
            region.sleepingWatches.loadSequential() != 0
        {
            System.wake(region.unsyncedSignal, isShared: true)
        }
    }

    /// The one that looks after this database does not sleep any more. Returns the signal, which it
    /// reads before it looks.
    func wakeWatch() -> UInt32 {
        region.endSleepOfWatch(ofProcessSlot: processSlot)
        return region.unsyncedSignal.loadSequential()
    }

    /// What it sleeps on until there is another signal than `signal`. Whoever gives one looks
    /// afterwards who sleeps; the kernel looks at the signal after that was said.
    func sleepingWatch(_ signal: UInt32) -> realm_futex_waiter {
        // In this order: who is killed in between leaves the sum too high, never too low.
        _ = region.sleepingWatches.fetchAdd(1)
        region.processSlot(processSlot).isWatchAsleep.storeSequential(1)
        return realm_futex_waiter_make(region.unsyncedSignal, signal, true)
    }
}

extension SharedRegion {
    func endSleepOfWatch(ofProcessSlot index: Int) {
        let word = processSlot(index).isWatchAsleep
        // Mostly it is 0, and reading is cheap: a process with thousands of files does this for each
        // of them, many times a second.
        if word.loadSequential() != 0, word.exchange(0) != 0 {
            _ = sleepingWatches.fetchAdd(UInt32.max)
        }
    }
}
