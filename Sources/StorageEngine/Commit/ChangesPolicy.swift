/// Whether the next commits should go to the disk as records that carry their changes.
///
/// A group that turns out to be too large for that costs a comparison in vain, and its record is
/// not beside its pages. A relaxed commit that follows one with changes has to wait for the disk,
/// see ``GroupWriter``. So after either, some commits go through their pages without being asked.
///
/// Used by the holder of the write lock, and by the thread that writes a group.
// Unchecked because of the word, which is accessed atomically.
final class ChangesPolicy: @unchecked Sendable {
    /// So many commits go through their pages.
    private static let pause: UInt32 = 16

    /// Commits that are still to go through their pages. A count that is lost because two threads
    /// store it at once makes the pause longer or shorter by one.
    private let remaining: UnsafeMutablePointer<UInt32>

    init() {
        remaining = .allocate(capacity: 1)
        remaining.initialize(to: 0)
    }

    deinit { remaining.deallocate() }

    /// Whether the next durable commit is expected to carry its changes.
    var isExpected: Bool { remaining.loadRelaxed() == 0 }

    /// A durable commit went through its pages.
    func noteCommit() {
        let count = remaining.loadRelaxed()
        if count > 0 { remaining.storeRelaxed(count - 1) }
    }

    /// A commit was relaxed, or too large.
    func beginPause() { remaining.storeRelaxed(Self.pause) }
}
