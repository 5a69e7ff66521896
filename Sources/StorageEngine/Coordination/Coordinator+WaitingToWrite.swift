/// How a process waits for the write lock of another one.
///
/// To hand the lock over takes longer than many a transaction: a process has to be woken, and reads
/// what the others have committed. So processes write by turns. A process that waits lets the one
/// that writes go on, as long as its transactions follow each other, for ``turnLength`` at most.
/// Then it waits in the kernel, and the process that writes lets it go first. Of several that wait,
/// the one that has waited longest does so, and the others see another turn begin.
///
/// Nothing depends on these rules but who comes next. What excludes others is the byte-range lock,
/// which is unlocked after each transaction, and by the kernel when a process ends.
extension Coordinator {
    /// The time in nanoseconds that a waiting process lets another one write.
    static let turnLength: UInt64 = 5_000_000
    /// The time in nanoseconds after which a process waits in the kernel, whoever else waits.
    private static let longestPatience: UInt64 = 50_000_000
    /// The time in nanoseconds between two looks at the process that writes. If it has the lock at
    /// neither of two looks, and had not taken it in between, its turn is over.
    private static let nap: UInt64 = 50_000
    /// The same for one that others precede: they look more often.
    private static let longNap: UInt64 = 1_000_000
    private static let courtesy = Duration.milliseconds(1)

    func tryLockProcess() throws(SystemFailure) -> Bool {
        try System.tryLock(lockFile, .exclusive, on: LockRanges.writing)
    }

    func waitForProcessLock() throws(SystemFailure) {
        let word = region.processSlot(processSlot).waitingTicket
        let ticket = WaitingTicket(number: region.drawnTickets.fetchAdd(1))
        // The sum is incremented first and decremented last. A process that is killed in between
        // leaves it too high, never too low.
        _ = region.waitingProcessCount.fetchAdd(1)
        word.storeSequential(ticket.word)
        defer {
            word.storeSequential(0)
            _ = region.waitingProcessCount.fetchAdd(UInt32.max)
            System.wake(word, isShared: true)
        }
        if try takeAfterTurn(ticket) { return }
        word.storeSequential(ticket.inKernel.word)
        try System.lock(lockFile, .exclusive, on: LockRanges.writing)
    }

    /// Waits while the turn of another process lasts. Returns whether that process had stopped
    /// writing, and the lock was taken.
    private func takeAfterTurn(_ ticket: WaitingTicket) throws(SystemFailure) -> Bool {
        guard writeLockState.patience.isDue else {
            writeLockState.patience.pass()
            return false
        }
        let firstCount = region.lockCount.loadAcquire()
        let start = System.monotonicNanoseconds
        var (turnStart, writer) = (start, region.lastWriter.loadRelaxed())
        var idleCount: UInt32?
        while true {
            let isFirst = isFirst(ticket)
            System.sleep(nanoseconds: isFirst ? Self.nap : Self.longNap)
            let count = region.lockCount.loadAcquire()
            if region.writerActive.loadAcquire() != 0 {
                idleCount = nil
            } else if idleCount != count {
                idleCount = count
            } else if isFirst, try tryLockProcess() {
                writeLockState.patience.didTry(inVain: count == firstCount)
                return true
            }
            let now = System.monotonicNanoseconds
            if region.lastWriter.loadRelaxed() != writer {
                (turnStart, writer) = (now, region.lastWriter.loadRelaxed())
            }
            let isOver = isFirst && now - turnStart >= Self.turnLength
            let isTooLong = now - start >= Self.longestPatience
            // The one that precedes this one may have died.
            if isTooLong { clearDeadProcesses() }
            if isOver || isTooLong {
                writeLockState.patience.didTry(inVain: count == firstCount)
                return false
            }
        }
    }

    /// Whether no other process has waited longer.
    private func isFirst(_ ticket: WaitingTicket) -> Bool {
        for index in 0..<region.usedProcessSlots where index != processSlot {
            let other = region.processSlot(index).waitingTicket
            if let earlier = WaitingTicket(word: other.loadAcquire()), earlier < ticket {
                return false
            }
        }
        return true
    }

    /// Waits, for a bounded time, until a process that waits in the kernel has taken the lock. The
    /// kernel lets a process that has just unlocked lock again before it has woken the waiting
    /// ones.
    func letOthersGoFirst() {
        guard writeLockState.wasLastHolder else { return }
        writeLockState.wasLastHolder = false
        guard region.waitingProcessCount.loadAcquire() != 0 else { return }
        for index in 0..<region.usedProcessSlots where index != processSlot {
            let word = region.processSlot(index).waitingTicket
            let value = word.loadAcquire()
            guard WaitingTicket(word: value)?.isInKernel == true else { continue }
            System.wait(on: word, while: value, timeout: Self.courtesy, isShared: true)
            if word.loadAcquire() == value { clearIfDead(processSlot: index) }
            return
        }
    }
}

/// What a process that waits for the write lock stores in its slot, so that those who have waited
/// longest come first.
struct WaitingTicket: Equatable {
    /// Never 0. The lowest bit tells whether the process waits in the kernel.
    let word: UInt32

    /// A ticket with the number of those that were drawn before.
    init(number: UInt32) { word = number &* 4 &+ 2 }

    /// Returns nil for 0: the process does not wait.
    init?(word: UInt32) {
        if word == 0 { return nil }
        self.word = word
    }

    var isInKernel: Bool { word & 1 != 0 }

    var inKernel: WaitingTicket { WaitingTicket(word: word | 1)! }

    /// Whether a ticket was drawn before another one. Numbers wrap around.
    static func < (left: WaitingTicket, right: WaitingTicket) -> Bool {
        Int32(bitPattern: left.word & ~1 &- right.word & ~1) < 0
    }
}
