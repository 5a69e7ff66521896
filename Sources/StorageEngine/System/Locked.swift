import CRealmSystem
import Glibc

/// A value that is reached only while its lock is held.
///
/// A POSIX mutex rather than `Synchronization.Mutex`, which the thread sanitizer does not see on
/// Linux: every value guarded by it would be reported as a race. Not recursive; not for waiting
/// long, see `FairLock`.
package final class Locked<Value>: @unchecked Sendable {
    // Safe to share: `value` is touched inside `withLock` only.

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // In memory of its own: the sanitizer takes an access to an empty stored property for one to
    // the object's header.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// For a value that the process keeps until it ends, and a forked child goes on with: a fork
    /// waits until nobody has the lock. Nothing else that a fork waits for may be locked within it,
    /// unless it is `outermost`.
    package convenience init(heldByForks value: sending Value, outermost: Bool = false) {
        self.init(value)
        let isHeld = realm_hold_during_forks(mutex, outermost)
        precondition(isHeld, "there are more locks for forks to wait for than places")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
