/// Decides when a process takes over the sync of another one's commits, and does nothing else.
///
/// A process that makes relaxed commits syncs them within some time. If a version is still not
/// durable after that, the process that committed it may have died.
struct SyncLookout {
    /// Between two looks while a version is not durable.
    static let interval: UInt64 = 20_000_000
    /// How long a version may stay without a sync after it was seen: somewhat longer than a writer
    /// waits before it syncs. With the interval before, no longer than relaxed commits may take.
    static let patience: UInt64 = 50_000_000
    /// How long the process goes on looking after a signal, which comes before its version.
    static let alertness: UInt64 = 60_000_000

    struct Verdict: Equatable {
        var takesOver = false
        /// When to look again; nil for when there is another signal.
        var nextLook: UInt64?
    }

    private var signal: UInt32?
    private var alertUntil: UInt64 = 0
    /// A version that was not durable, and when that was first seen.
    private var pending: (version: UInt64, since: UInt64)?

    /// Decides at the time `now`. `signal`: as it was before the versions were read.
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
