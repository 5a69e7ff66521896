/// Decides when the next sync of relaxed commits begins, and does nothing else.
///
/// A sync begins some time after the first commit that it covers, or at once where too much waits
/// for it. While a sync runs, no other one begins at once, because that would keep the disk busy
/// with syncs of a few commits each.
struct SyncSchedule {
    struct Commit: Equatable {
        var version: UInt64
        /// The number of its record.
        var sequence: UInt64
    }

    enum Start { case atOnce, later }

    /// The newest commit that was noted.
    private(set) var newest: Commit?
    private var isRunning = false
    /// Whether a start was asked for and has not happened yet.
    private var isScheduled = false
    /// Whether it was asked for at once.
    private var isUrgent = false
    private var isStopped = false
    /// Whether a sync of other processes' commits was asked for and has not begun.
    private var isTakingOver = false

    /// A commit has been written. Returns when to call ``begin(durableVersion:)``; nil where a call
    /// was asked for already. `exceedsBudget`: whether so much waits that it should begin at once.
    mutating func note(_ commit: Commit, exceedsBudget: Bool) -> Start? {
        newest = commit
        if exceedsBudget, !isRunning, !isUrgent {
            isUrgent = true
            return .atOnce
        }
        defer { isScheduled = true }
        return isScheduled || isUrgent ? nil : .later
    }

    /// Returns the version that a sync is to make durable now, or nil. Does not ask for the durable
    /// version after ``stop()``: the memory that it is read from may be unmapped.
    mutating func begin(durableVersion: @autoclosure () -> UInt64) -> UInt64? {
        isScheduled = false
        isUrgent = false
        guard !isStopped, let newest, durableVersion() < newest.version else { return nil }
        isRunning = true
        return newest.version
    }

    /// Returns whether a sync of other processes' commits is to be asked for.
    mutating func askToTakeOver() -> Bool {
        if isStopped || isTakingOver { return false }
        isTakingOver = true
        return true
    }

    /// Returns whether that sync is to begin now.
    mutating func beginToTakeOver() -> Bool {
        isTakingOver = false
        if isStopped { return false }
        isRunning = true
        return true
    }

    mutating func end() { isRunning = false }

    mutating func stop() { isStopped = true }
}
