import CRealmSystem

/// What this process has asked of the disk since it started, over all database files.
///
/// Only calls that carry database contents count: `.lock` is mapped and never written to, and
/// directories are synced by another call. Reading the counters is cheap and allowed on any thread.
/// The three values are read one after the other, not atomically together.
public struct SystemCounters: Equatable, Sendable {
    /// The number of calls of `fdatasync`, and of writes that return when they are on the disk.
    public var syncs: UInt64
    /// The number of successful calls of `pwrite`, `pwritev` and `pwritev2`.
    public var writeCalls: UInt64
    /// The number of bytes that those calls wrote.
    public var bytesWritten: UInt64

    /// The current values.
    public static var current: SystemCounters {
        SystemCounters(
            syncs: realm_counted_syncs(), writeCalls: realm_counted_write_calls(),
            bytesWritten: realm_counted_bytes_written())
    }

    /// Returns what happened between `earlier` and `later`.
    public static func - (later: SystemCounters, earlier: SystemCounters) -> SystemCounters {
        SystemCounters(
            syncs: later.syncs - earlier.syncs,
            writeCalls: later.writeCalls - earlier.writeCalls,
            bytesWritten: later.bytesWritten - earlier.bytesWritten)
    }
}
