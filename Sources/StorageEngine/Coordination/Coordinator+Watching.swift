import CRealmSystem

/// Notifying other processes before a version is published that is not durable, so that they make
/// it durable if this process dies.
extension Coordinator {
    /// Wakes the watch threads of other processes. Must be called before a version is published
    /// that is not synced. They keep looking for some time, so they see the version whenever this
    /// process dies after it.
    func willPublishUnsynced() {
        guard isShared else { return }
        _ = region.unsyncedSignal.fetchAdd(1)
        if region.processCount.loadSequential() > 1,
            region.sleepingWatches.loadSequential() != 0
        {
            System.wake(region.unsyncedSignal, isShared: true)
        }
    }

    /// Records that this process's watch thread is awake. Returns the signal as it is before the
    /// thread looks at the database.
    func wakeWatch() -> UInt32 {
        region.endSleepOfWatch(ofProcessSlot: processSlot)
        return region.unsyncedSignal.loadSequential()
    }

    /// Returns the futex waiter on which the watch thread sleeps until the signal differs from
    /// `signal`.
    ///
    /// No signal is missed: a process first changes the signal and then looks for sleepers, whereas
    /// the watch thread is counted as sleeping before the kernel compares the signal.
    func sleepingWatch(_ signal: UInt32) -> realm_futex_waiter {
        // The sum is incremented first. A process that is killed in between leaves it too high,
        // never too low.
        _ = region.sleepingWatches.fetchAdd(1)
        region.processSlot(processSlot).isWatchAsleep.storeSequential(1)
        return realm_futex_waiter_make(region.unsyncedSignal, signal, true)
    }
}

extension SharedRegion {
    func endSleepOfWatch(ofProcessSlot index: Int) {
        let word = processSlot(index).isWatchAsleep
        // The word is usually 0, and reading it is cheap. A process with thousands of files does
        // this for each of them many times a second.
        if word.loadSequential() != 0, word.exchange(0) != 0 {
            _ = sleepingWatches.fetchAdd(UInt32.max)
        }
    }
}
