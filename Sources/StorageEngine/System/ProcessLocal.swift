import CRealmSystem

/// A value that belongs to one process. A forked child gets a new one.
///
/// For tables that only the process that created them can use. The parent's value is useless to the
/// child: what it refers to belongs to the parent, and another thread may have been changing it, or
/// held its lock, at the time of the fork. So the child does not touch it, not even to free it.
package final class ProcessLocal<Value: AnyObject & Sendable>: @unchecked Sendable {
    // Safe to share, because `word` is only accessed atomically, and entries are immutable and
    // never freed.

    private final class Entry {
        let value: Value
        let forkGeneration = realm_fork_generation()

        init(_ value: Value) { self.value = value }
    }

    private let make: @Sendable () -> Value
    /// The address of an `Entry`, or 0.
    private let word: UnsafeMutablePointer<UInt64>

    /// Creates a value for a static property. It is never freed.
    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    /// The value of this process, created on first access.
    package var value: Value {
        while true {
            let address = word.loadAcquire()
            if let pointer = UnsafeRawPointer(bitPattern: UInt(address)) {
                let entry = Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
                if entry.forkGeneration == realm_fork_generation()
                    || planted(.sharesTablesWithForks)
                {
                    return entry.value
                }
            }
            let new = Unmanaged.passRetained(Entry(make()))
            let isFirst = word.compareExchange(
                expected: address, desired: UInt64(UInt(bitPattern: new.toOpaque())))
            if !isFirst { new.release() }
        }
    }
}
