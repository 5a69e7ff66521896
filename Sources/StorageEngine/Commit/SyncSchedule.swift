/// When the next sync of commits begins that did not wait for one. Decides, and does nothing itself.
///
/// A sync begins some time after the first commit that it covers, or at once where much waits. What
/// the sync under way covers does not wait: asking for another one as long as that runs would keep
/// the disk busy with syncs of a few commits each.
struct SyncSchedule {
    struct Commit: Equatable {
        var version: UInt64
        /// Of its record.
        var sequence: UInt64
        /// The version up to which freed space may be reused once this commit is durable.
        var reusable: UInt64
    }

    enum Start { case atOnce, later }

    /// So many records do not wait for the clock: half of the room in the ring, so that the next
    /// ones find some while they are synced.
    static let urgentCount = CommitRecord.maximumUnsynced / 2

    /// The newest commit that was noted.
    private(set) var newest: Commit?
    /// The newest record that a sync which has begun makes durable.
    private var begun: UInt64 = 0
    private var isRunning = false
    /// A start was asked for, and none has happened since.
    private var isScheduled = false
    private var isUrgent = false
    private var isStopped = false

    /// A commit has been written, when the record `durable` was known to be durable. Returns when to
    /// call ``begin(durableVersion:)``; nil where that has been said already.
    mutating func note(_ commit: Commit, durable: UInt64, holdsMuch: Bool) -> Start? {
        newest = commit
        let waiting = commit.sequence - max(begun, durable)
        if waiting >= Self.urgentCount || holdsMuch && !isRunning, !isUrgent {
            isUrgent = true
            return .atOnce
        }
        defer { isScheduled = true }
        return isScheduled || isUrgent ? nil : .later
    }

    /// Returns what the sync that begins now makes durable; nil where none is needed. Does not ask
    /// for the durable version after ``stop()``: the memory that it is read from may be gone.
    mutating func begin(durableVersion: @autoclosure () -> UInt64) -> Commit? {
        isScheduled = false
        isUrgent = false
        guard !isStopped, let newest, durableVersion() < newest.version else { return nil }
        begun = newest.sequence
        isRunning = true
        return newest
    }

    mutating func end() { isRunning = false }

    mutating func stop() { isStopped = true }
}
