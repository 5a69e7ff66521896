import Glibc

/// A busy-wait planted at the end of each measured batch or transaction, inside its timed interval,
/// so that `selftest` and the tests of the gate can tell whether a known slowdown is noticed.
///
/// Off unless the environment says otherwise; reports of a process that was slowed down are never
/// kept beside those of others, because only `gate` and `selftest` set the variable.
enum PlantedDelay {
    /// The fraction of each measured interval that is added to it: 0.1 makes it a tenth longer.
    static let variable = "REALM_BENCH_PLANTED_SLOWDOWN"

    /// Of this process; 0 if nothing is planted.
    static let fraction: Double = {
        // Not through Foundation, which copies the whole environment: this is first asked for where
        // allocations are counted.
        guard let found = getenv(variable) else { return 0 }
        let text = String(cString: found)
        guard let value = Double(text), (0...10).contains(value) else {
            fatalError("\(variable) must be a number from 0 to 10, not '\(text)'.")
        }
        return value
    }()

    /// Spins for the planted fraction of an interval that took so long. Call it at the end of what
    /// is timed, before the clock is read for the record.
    @inline(__always)
    static func spin(after nanoseconds: UInt64) {
        if fraction > 0 { busyWait(UInt64(Double(nanoseconds) * fraction)) }
    }

    /// The end of an interval that began at `start`: now, or after the planted wait.
    @inline(__always)
    static func end(of start: UInt64) -> UInt64 {
        let now = monotonicNanoseconds()
        guard fraction > 0 else { return now }
        spin(after: now - start)
        return monotonicNanoseconds()
    }

    @inline(never)
    private static func busyWait(_ nanoseconds: UInt64) {
        let start = monotonicNanoseconds()
        while monotonicNanoseconds() - start < nanoseconds {}
    }
}
