import StorageEngine
import StressModel
import ToolSupport

/// A thread that increments a number again and again. No transaction of a workload touches that
/// number.
enum Bystander {
    /// Starts the thread. It calls `hasLock` in each transaction, once it has the write lock. It
    /// returns its count, and throws a ``Finding`` if the number in the file differs from the
    /// count.
    static func start(
        opening open: @escaping @Sendable () throws -> Database,
        hasLock: @escaping @Sendable () -> Void
    ) -> BackgroundThread<Int64> {
        BackgroundThread { isStopped in
            let connection = try Connection(open())
            var count: Int64 = 0
            while !isStopped() {
                let next = try StressWorkload.countBystander(on: connection, hasLock: hasLock)
                guard next == count + 1 else {
                    throw Finding(
                        .lostCommit, "the other process's count is \(next) after \(count).")
                }
                count = next
            }
            return count
        }
    }
}
