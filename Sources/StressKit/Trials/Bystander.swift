import StorageEngine
import StressModel

/// A thread that adds one to a number, again and again, which no transaction of a workload touches.
enum Bystander {
    /// `hasLock` is called with each transaction, once it has the write lock. The thread returns
    /// what it has counted: nobody else does.
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
