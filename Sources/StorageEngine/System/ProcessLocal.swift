import CRealmSystem

/// A value of the process: a forked child finds a new one.
///
/// For tables of what only the process that made it can use. The one of the parent is of no use in
/// the child: what it names is the parent's, and another thread may have been changing it, or held
/// its lock, when the process was forked. So the child does not touch it, not even to free it.
package final class ProcessLocal<Value: AnyObject & Sendable>: @unchecked Sendable {
    // Safe to share: `word` is accessed atomically only, and what it names is immutable and stays.

    private final class Entry {
        let value: Value
        let forkGeneration = realm_fork_generation()

        init(_ value: Value) { self.value = value }
    }

    private let make: @Sendable () -> Value
    /// The address of an `Entry`, or 0.
    private let word: UnsafeMutablePointer<UInt64>

    /// For static properties: nothing is freed.
    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    /// The value of this process, made when it is first asked for.
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
