import CRealmSystem

/// Making a version visible to the readers of all processes, and waiting for that.
///
/// A waiting thread sleeps on the wake-up word. If the word were changed, and the sleepers woken,
/// only after the version is visible, a writer killed in between would leave them asleep although
/// there is a newer version. So the publication is announced first. The steps, with the write lock
/// held:
///
/// 1. The writer makes the word odd, and wakes the sleepers if there are any.
/// 2. It stores the version.
/// 3. It makes the word even.
///
/// A thread that finds an odd word does not sleep without a time limit. It looks again until the
/// word is even or the version is there. If that takes long and the writer has died, it makes the
/// word even itself.
///
/// - Interrupted before 1: nobody was woken, and there is nothing to see.
/// - Interrupted between 1 and 2: those who were woken find the word odd, look again for a time,
///   make the word even, and sleep.
/// - Interrupted between 2 and 3: they find the version.
extension Coordinator {
    /// Makes a version visible that may not be durable yet. Requires the write lock.
    package func publishVisible(version: UInt64, sequence: UInt64, recordPage: UInt64 = 0) {
        assert(version >= region.visibleVersion.loadRelaxed(), "versions only go forward")
        region.recordPage(of: sequence).storeRelease(recordPage)
        if planted(.wakesAfterShowing) { show(version: version, sequence: sequence) }
        announcePublication()
        show(version: version, sequence: sequence)
        endPublication()
    }

    /// Step 1. A word that a dead writer left odd is changed as well, and stays odd.
    package func announcePublication() {
        while true {
            let word = region.wakeUpWord.loadRelaxed()
            if announcePublication(over: word) { return }
        }
    }

    /// Step 1, if the word is still `word`. A waiter may be about to make the word of a dead writer
    /// even; added to that, the difference from an odd word would leave it even.
    func announcePublication(over word: UInt32) -> Bool {
        let announced = word &+ (word & 1 == 0 ? 1 : 2)
        if !region.wakeUpWord.compareExchange(expected: word, desired: announced) { return false }
        wakeSleepers()
        return true
    }

    /// Step 2.
    package func show(version: UInt64, sequence: UInt64) {
        region.visibleSequence.storeSequential(sequence)
        region.visibleVersion.storeSequential(version)
    }

    /// Step 3. The threads that look at an odd word need not be woken.
    package func endPublication() {
        while true {
            let word = region.wakeUpWord.loadRelaxed()
            if word & 1 == 0 {
                // This thread was away for so long that it was taken for dead, and those who had
                // been woken sleep again.
                return changeWakeUpWord(by: 2)
            }
            if region.wakeUpWord.compareExchange(expected: word, desired: word &+ 1) { return }
        }
    }

    private func changeWakeUpWord(by difference: UInt32) {
        _ = region.wakeUpWord.fetchAdd(difference)
        wakeSleepers()
    }

    /// Wakes the sleepers after the word has changed.
    private func wakeSleepers() {
        // A sleeper is counted before the kernel compares the word, and the count is read after the
        // word has changed. So no sleeper is missed.
        if region.sleeperCount.loadSequential() != 0 {
            System.wake(region.wakeUpWord, isShared: true)
        }
    }

    /// Makes the word even if a writer that has died left it odd. Requires the write lock.
    func endPublicationOfDead() {
        if region.wakeUpWord.loadRelaxed() & 1 != 0 { endPublication() }
    }

    // MARK: Waiting

    /// Blocks the calling thread until a version newer than `version` is visible, for `timeout` at
    /// most (nil: without limit), or until `isCancelled` returns true. Returns the newest visible
    /// version.
    package func waitForVersion(
        newerThan version: UInt64, timeout: Duration? = nil, isCancelled: () -> Bool = { false }
    ) -> UInt64 {
        let clock = ContinuousClock()
        let deadline = timeout.map { clock.now + $0 }
        beginSleeping()
        defer { endSleeping() }
        var pauses = PublicationPauses()
        while true {
            let word = region.wakeUpWord.loadSequential()
            let newest = visibleVersion
            if newest > version || isCancelled() { return newest }
            var remaining: Duration?
            if let deadline {
                remaining = clock.now.duration(to: deadline)
                if remaining! <= .zero { return newest }
            }
            if word & 1 == 0 {
                System.wait(
                    on: region.wakeUpWord, while: word, timeout: remaining, isShared: true)
                pauses = PublicationPauses()
            } else {
                let pause = Duration.nanoseconds(pauses.next(self, word))
                System.wait(
                    on: region.wakeUpWord, while: word, timeout: min(remaining ?? pause, pause),
                    isShared: true)
            }
        }
    }

    /// Wakes all threads, in all processes, that sleep in `waitForVersion`. They look again, and
    /// continue to sleep if there is no newer version and time remains. A thread that is about to
    /// sleep is woken too.
    package func wakeWaiters() { changeWakeUpWord(by: 2) }

    /// Counts a thread that may sleep on the wake-up word until ``endSleeping()``.
    func beginSleeping() {
        // The sum is incremented first. A process that is killed in between leaves it too high,
        // never too low.
        _ = region.sleeperCount.fetchAdd(1)
        _ = region.processSlot(processSlot).sleeperCount.fetchAdd(1)
    }

    func endSleeping() {
        _ = region.processSlot(processSlot).sleeperCount.fetchAdd(UInt32.max)
        _ = region.sleeperCount.fetchAdd(UInt32.max)
    }

    /// The wake-up word, to be read before the visible version.
    var publicationWord: UInt32 { region.wakeUpWord.loadSequential() }

    /// The waiter with which a thread sleeps until the wake-up word differs from an even `word`.
    /// The thread must be counted as sleeping.
    func sleepingUntilPublication(_ word: UInt32) -> realm_futex_waiter {
        realm_futex_waiter_make(region.wakeUpWord, word, true)
    }

    /// Makes the word even again if the writer that made it `word` has died.
    fileprivate func endPublicationIfDead(_ word: UInt32) {
        // A writer of this process may be slow, but cannot have died; if the word is taken from it,
        // it wakes the sleepers once more.
        let isAlive =
            isShared
            && (try? System.isLockedByOther(lockFile, LockRanges.writing)) != false
        if !isAlive {
            _ = region.wakeUpWord.compareExchange(expected: word, desired: word &+ 1)
        }
    }
}

/// How long a thread waits between two looks at a publication that is under way. It usually takes
/// less than a microsecond, but the writer may have lost its processor.
struct PublicationPauses {
    private var count = 0
    /// The number of times that the thread yields its processor, which the writer may be waiting
    /// for.
    private static let yields = 16
    private static let first: Int64 = 20_000
    private static let doublings = 6
    /// The number of looks, about 60 ms, after which the writer may have died.
    private static let patience = 64

    /// Returns for how long to sleep at most, in nanoseconds. `word` is the odd word that was
    /// found.
    mutating func next(_ coordinator: Coordinator, _ word: UInt32) -> Int64 {
        count += 1
        if count > Self.patience { coordinator.endPublicationIfDead(word) }
        if count <= Self.yields {
            System.giveUpProcessor()
            return 0
        }
        return Self.first << min(count - Self.yields - 1, Self.doublings)
    }
}
