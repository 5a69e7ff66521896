import Glibc
import Synchronization
import ToolSupport

/// A busy-wait at the end of measured batches or transactions, inside their timed intervals. With
/// it `selftest` and the tests of the gate check that a known slowdown is detected.
///
/// It is off unless the environment variable is set, which only `gate` and `selftest` do. Reports
/// of slowed processes are therefore never stored with those of others.
enum PlantedDelay {
    /// The environment variable with the slowdown of this process.
    static let variable = "REALM_BENCH_PLANTED_SLOWDOWN"

    /// The slowdown of this process; none if nothing is planted.
    private static let slowdown: PlantedSlowdown = {
        // Foundation would copy the whole environment, and the first access happens while
        // allocations are counted.
        guard let found = getenv(variable) else { return .none }
        let text = String(cString: found)
        guard let value = PlantedSlowdown(text) else {
            fatalError("\(variable) must be as 0.1 or 4/100, not '\(text)'.")
        }
        return value
    }()

    /// How many intervals have ended, on any thread.
    private static let intervals = Atomic<Int>(0)

    /// Returns the end of an interval that began at `start`: now, or after the planted wait. Called
    /// at the end of the timed work.
    @inline(__always)
    static func end(of start: UInt64) -> UInt64 {
        let now = monotonicNanoseconds()
        guard slowdown.fraction > 0 else { return now }
        spin(after: now - start)
        return monotonicNanoseconds()
    }

    @inline(never)
    private static func spin(after nanoseconds: UInt64) {
        let number = intervals.wrappingAdd(1, ordering: .relaxed).newValue
        guard number.isMultiple(of: slowdown.every) else { return }
        let wait = UInt64(Double(nanoseconds) * slowdown.fraction)
        let start = monotonicNanoseconds()
        while monotonicNanoseconds() - start < wait {}
    }
}
