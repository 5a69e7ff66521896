import CRealmSystem
import Glibc

/// A value that is accessible only while its lock is held.
///
/// Uses a POSIX mutex rather than `Synchronization.Mutex`, which the thread sanitizer does not see
/// on Linux: it would report every access to the value as a race. The lock is not recursive, and
/// not meant for long waits; see `FairLock`.
package final class Locked<Value>: @unchecked Sendable {
    // Safe to share, because `value` is only accessed inside `withLock`.

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // In memory of its own, because the sanitizer mistakes an access to an empty stored property
    // for one to the object's header.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// Creates a lock for a value that lives as long as the process and that a forked child
    /// continues to use: a fork waits until nobody holds the lock. While it is held, no other such
    /// lock may be taken, unless this one is `outermost` and the other is not.
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

    /// Does the same if no thread holds the lock; otherwise returns nil at once.
    package func tryWithLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
