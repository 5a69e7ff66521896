/// For how many committers a group waits before it is written, learned from the groups before it.
///
/// Threads that commit again and again fall out of step: while one's group is synced, the others
/// finish, and each sync serves a part of them. If the one that is to write a group waits for those
/// whom the group before has just released, they share one sync. They come within some
/// microseconds, of the hundred that a sync takes, or they do something else: then waiting was in
/// vain, and the next groups do not wait.
struct GatheringPolicy {
    /// In nanoseconds, for how long a group waits.
    static let longestWait: UInt64 = 20_000
    /// The most committers that a group waits for. More of them fill groups by themselves: those
    /// that finish during a sync are many enough, and waiting for the last of them costs more than
    /// a sync shared with it saves.
    static let largestGroup = 8

    private var expected = 0
    private var backoff = Backoff()

    /// A group was written. `committers`: those whom it served, and those who wait for the next.
    mutating func groupWasWritten(committers: Int) {
        expected = committers
        backoff.pass()
    }

    /// How many committers a group should have before it is written; nil if it should not wait.
    var wanted: Int? {
        backoff.isDue && (2...Self.largestGroup).contains(expected) ? expected : nil
    }

    /// A group has waited. `isComplete`: whether all came.
    mutating func didWait(isComplete: Bool) { backoff.didTry(inVain: !isComplete) }
}
