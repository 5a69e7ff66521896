import StorageEngine
import StressModel

/// A limit on waiting, in short naps, for something that another thread or process is to do.
///
/// A nap counts for at most twice the time that was asked for, however late this thread woke up. On
/// a machine too busy to wake this thread, the others may not have run either.
struct Patience {
    private var left: UInt64

    init(nanoseconds: UInt64) { left = nanoseconds }

    /// Sleeps; false if the time is over.
    mutating func nap(nanoseconds: UInt64) -> Bool {
        guard left > 0 else { return false }
        let start = System.monotonicNanoseconds
        System.sleep(nanoseconds: nanoseconds)
        left -= min(left, System.monotonicNanoseconds - start, 2 * nanoseconds)
        return true
    }

    /// Waits until `isDone` returns true.
    ///
    /// - Parameter message: the beginning of a sentence that ends with the time.
    /// - Throws: a ``Finding`` with the message if the time is over.
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
