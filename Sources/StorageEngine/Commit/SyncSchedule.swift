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
    }

    enum Start { case atOnce, later }

    /// The newest commit that was noted.
    private(set) var newest: Commit?
    private var isRunning = false
    /// A start was asked for, and none has happened since.
    private var isScheduled = false
    private var isUrgent = false
    private var isStopped = false
    /// A sync of what others committed was asked for, and has not begun.
    private var isTakingOver = false

    /// A commit has been written. Returns when to call ``begin(durableVersion:)``; nil where that has
    /// been said already.
    mutating func note(_ commit: Commit, holdsMuch: Bool) -> Start? {
        newest = commit
        if holdsMuch, !isRunning, !isUrgent {
            isUrgent = true
            return .atOnce
        }
        defer { isScheduled = true }
        return isScheduled || isUrgent ? nil : .later
    }

    /// The version that a sync is to make durable now, or nil. Does not ask for the durable version after ``stop()``: the
    /// memory that it is read from may be gone.
    mutating func begin(durableVersion: @autoclosure () -> UInt64) -> UInt64? {
        isScheduled = false
        isUrgent = false
        guard !isStopped, let newest, durableVersion() < newest.version else { return nil }
        isRunning = true
        return newest.version
    }

    /// Whether a sync of what others committed is to be asked for.
    mutating func askToTakeOver() -> Bool {
        if isStopped || isTakingOver { return false }
        isTakingOver = true
        return true
    }

    /// Whether that sync is to begin now.
    mutating func beginToTakeOver() -> Bool {
        isTakingOver = false
        if isStopped { return false }
        isRunning = true
        return true
    }

    mutating func end() { isRunning = false }

    mutating func stop() { isStopped = true }
}
