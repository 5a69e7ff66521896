import Glibc
import ToolSupport

/// A busy-wait at the end of each measured batch or transaction, inside its timed interval. With it
/// `selftest` and the tests of the gate check that a known slowdown is detected.
///
/// It is off unless the environment variable is set, which only `gate` and `selftest` do. Reports
/// of slowed processes are therefore never stored with those of others.
enum PlantedDelay {
    /// The environment variable with the fraction that is added to each measured interval: 0.1
    /// makes it one tenth longer.
    static let variable = "REALM_BENCH_PLANTED_SLOWDOWN"

    /// The fraction of this process; 0 if nothing is planted.
    static let fraction: Double = {
        // Foundation would copy the whole environment, and the first access happens while
        // allocations are counted.
        guard let found = getenv(variable) else { return 0 }
        let text = String(cString: found)
        guard let value = Double(text), (0...10).contains(value) else {
            fatalError("\(variable) must be a number from 0 to 10, not '\(text)'.")
        }
        return value
    }()

    /// Spins for the planted fraction of an interval of that length. Called at the end of the timed
    /// work, before the clock is read for the record.
    @inline(__always)
    static func spin(after nanoseconds: UInt64) {
        if fraction > 0 { busyWait(UInt64(Double(nanoseconds) * fraction)) }
    }

    /// Returns the end of an interval that began at `start`: now, or after the planted wait.
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
