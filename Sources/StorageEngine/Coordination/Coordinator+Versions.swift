/// The newest versions, and waiting for newer ones.
extension Coordinator {
    /// The newest version that readers may see.
    package var visibleVersion: UInt64 { region.visibleVersion.loadSequential() }

    /// The newest version that survives a loss of power.
    package var durableVersion: UInt64 { region.durableVersion.loadAcquire() }

    /// Makes a durable version visible and wakes whoever waits for it. Only while writing.
    package func publish(version: UInt64) {
        publishDurable(version: version)
        publishVisible(version: version)
    }

    /// Makes a version visible that may not be durable yet. Only while writing.
    package func publishVisible(version: UInt64) {
        assert(version >= region.visibleVersion.loadRelaxed(), "versions only go forward")
        region.visibleVersion.storeSequential(version)
        // Pairs with `waitForVersion`: it counts itself before it sleeps, this looks at the count
        // after it has changed the word.
        region.wakeUpWord.storeSequential(UInt32(truncatingIfNeeded: version))
        if region.sleeperCount.loadSequential() != 0 { System.wake(region.wakeUpWord) }
    }

    /// Says that a version, and all before it, are durable.
    package func publishDurable(version: UInt64) {
        var known = region.durableVersion.loadAcquire()
        while known < version {
            if region.durableVersion.compareExchange(expected: known, desired: version) { return }
            known = region.durableVersion.loadAcquire()
        }
    }

    /// Blocks the calling thread until a version newer than `version` is visible, at most for
    /// `timeout` (nil: without limit), and returns the newest visible version.
    package func waitForVersion(newerThan version: UInt64, timeout: Duration? = nil) -> UInt64 {
        let clock = ContinuousClock()
        let deadline = timeout.map { clock.now + $0 }
        _ = region.sleeperCount.fetchAdd(1)
        defer { _ = region.sleeperCount.fetchAdd(UInt32.max) }
        while true {
            let word = region.wakeUpWord.loadSequential()
            let newest = visibleVersion
            if newest > version { return newest }
            var remaining: Duration?
            if let deadline {
                remaining = clock.now.duration(to: deadline)
                if remaining! <= .zero { return newest }
            }
            System.wait(on: region.wakeUpWord, while: word, timeout: remaining)
        }
    }

    /// Wakes all threads, in all processes, that sleep in `waitForVersion`; they look again and,
    /// with no newer version, sleep on unless their time is over.
    package func wakeWaiters() {
        System.wake(region.wakeUpWord)
    }

    /// Whether a sync failed since the first of the present users opened the file.
    package var isPoisoned: Bool { region.poisoned.loadAcquire() != 0 }

    /// Stops all writers of all processes until every process has closed the file: what a failed
    /// sync left on disk is not known.
    package func poison() {
        region.poisoned.storeRelease(1)
    }
}
