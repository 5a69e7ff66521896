import StorageEngine
import StressModel

/// Waits for something that another thread or process is to do, in short naps, and tells when it
/// has taken too long.
///
/// A nap counts for at most twice of what was asked for, however late this thread woke up: where
/// the machine has no time for us, it may not have had any for the others either.
struct Patience {
    private var left: UInt64

    init(nanoseconds: UInt64) { left = nanoseconds }

    /// False if the time is over.
    mutating func nap(nanoseconds: UInt64) -> Bool {
        guard left > 0 else { return false }
        let start = System.monotonicNanoseconds
        System.sleep(nanoseconds: nanoseconds)
        left -= min(left, System.monotonicNanoseconds - start, 2 * nanoseconds)
        return true
    }

    /// Waits until `isDone` says so. What is found otherwise: `message`, the beginning of a
    /// sentence that ends with the time.
    static func wait(
        seconds: UInt64, napNanoseconds: UInt64 = 1_000_000, orFind message: String,
        until isDone: () throws -> Bool
    ) throws {
        var patience = Patience(nanoseconds: seconds * 1_000_000_000)
        while try !isDone() {
            guard patience.nap(nanoseconds: napNanoseconds) else {
                throw Finding(.overLimit, "\(message) in \(seconds) s.")
            }
        }
    }
}
