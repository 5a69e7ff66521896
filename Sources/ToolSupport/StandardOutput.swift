import CMeasurement
import Glibc
import Synchronization

/// Whether standard output took everything. A program whose output is lost must not end as if it
/// had done its work.
package enum StandardOutput {
    /// The code of the first write that failed; 0 before.
    private static let failure = Atomic<Int32>(0)

    static func failed(_ code: Int32) {
        _ = failure.compareExchange(
            expected: 0, desired: code, ordering: .sequentiallyConsistent)
    }

    /// Writes what `print` has buffered.
    ///
    /// - Throws: an error if anything that was written to standard output is lost. A reader of a
    ///   pipe that has gone is an interruption, as if the signal had ended the program.
    package static func finish() throws(BenchmarkError) {
        let printed = realm_bench_finish_standard_output()
        if printed != 0 { failed(printed) }
        let code = failure.load(ordering: .sequentiallyConsistent)
        if code == 0 { return }
        if code == EPIPE { throw BenchmarkError(.interrupted(SIGPIPE), "Interrupted.") }
        throw BenchmarkError(
            .internalError,
            code < 0
                ? "Standard output did not take everything that was written to it."
                : "Standard output cannot be written: \(String(cString: strerror(code))).")
    }
}
