import CRealmSystem
import Glibc

/// The words on any of which one thread sleeps: one of this process, and some in memory that is
/// shared with other processes (`futex_waitv`, Linux 5.16).
///
/// Where that call is missing, or for more words than it takes, the thread polls.
// Unchecked because of the pointers: `changes` is only accessed atomically, and `waiters` only by
// the thread that sleeps.
final class FutexSet: @unchecked Sendable {
    /// The word of this process, which ``wakeUp()`` changes.
    private let changes: UnsafeMutablePointer<UInt32>
    private let waiters: UnsafeMutablePointer<realm_futex_waiter>
    private var count = 1

    /// The most words that the kernel takes in one call.
    private static let capacity = 128
    static let pollInterval: UInt64 = 40_000_000

    init() {
        changes = .allocate(capacity: 1)
        changes.initialize(to: 0)
        waiters = .allocate(capacity: Self.capacity)
        waiters.initialize(repeating: realm_futex_waiter(), count: Self.capacity)
    }

    deinit {
        changes.deallocate()
        waiters.deallocate()
    }

    /// Wakes the thread, or keeps it from falling asleep. Any thread may call it.
    func wakeUp() {
        _ = changes.fetchAdd(1)
        System.wake(changes)
    }

    // MARK: For the thread that sleeps

    /// Removes all shared words. The thread does not sleep if ``wakeUp()`` is called after this.
    func begin() {
        waiters[0] = realm_futex_waiter_make(changes, changes.loadSequential(), false)
        count = 1
    }

    /// Adds a shared word. Returns false if there are too many.
    func add(_ waiter: @autoclosure () -> realm_futex_waiter) -> Bool {
        if count == Self.capacity { return false }
        waiters[count] = waiter()
        count += 1
        return true
    }

    /// Sleeps until a word differs from the value that it was added with, or until `end`, a
    /// monotonic time (`.max`: without limit). May return early. A word that is unmapped meanwhile
    /// does no harm.
    func sleep(until end: UInt64) {
        let now = System.monotonicNanoseconds
        let remaining = end == .max ? -1 : Int64(end > now ? end - now : 0)
        switch realm_futex_wait_any(waiters, UInt32(count), remaining) {
        // EFAULT: a database was closed meanwhile, and its memory is unmapped.
        case 0, EAGAIN, EINTR, ETIMEDOUT, EFAULT: return
        default:
            let most = Int64(Self.pollInterval)
            let rest = remaining < 0 ? most : min(remaining, most)
            System.wait(
                on: changes, while: UInt32(truncatingIfNeeded: waiters[0].value),
                timeout: .nanoseconds(rest))
        }
    }
}
