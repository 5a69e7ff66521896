/// When a process takes over the sync of another one's commits. Decides, and does nothing itself.
///
/// A process that commits without waiting for the disk syncs within some time. If a version is still
/// not durable after that, its process may have died, whichever that was.
struct SyncLookout {
    /// Between two looks while a version is not durable.
    static let interval: UInt64 = 20_000_000
    /// How long others may leave a version that was seen: somewhat longer than a writer takes before it
    /// syncs, and with the look before no longer than relaxed commits may take.
    static let patience: UInt64 = 50_000_000
    /// After a signal one goes on looking for so long. It comes before the version that it is about.
    static let alertness: UInt64 = 60_000_000

    struct Verdict: Equatable {
        var takesOver = false
        /// When to look again; nil: when there is another signal.
        var nextLook: UInt64?
    }

    private var signal: UInt32?
    private var alertUntil: UInt64 = 0
    /// A version that was not durable, and since when that is known.
    private var pending: (version: UInt64, since: UInt64)?

    /// Looks at what is shared at a time. `signal`: as it was before the versions were read.
    mutating func look(
        at now: UInt64, signal: UInt32, visible: UInt64, durable: UInt64
    ) -> Verdict {
        var verdict = Verdict()
        if signal != self.signal {
            self.signal = signal
            alertUntil = now + Self.alertness
        }
        if durable >= visible {
            pending = nil
        } else {
            alertUntil = now + Self.alertness
            if let known = pending, known.version > durable {
                verdict.takesOver = now - known.since >= Self.patience
                if verdict.takesOver { pending = (visible, now) }
            } else {
                pending = (visible, now)
            }
        }
        if now < alertUntil { verdict.nextLook = now + Self.interval }
        return verdict
    }
}
