import CRealmSystem

/// Hands out pairs of key and nonce, and none of them twice.
///
/// Within a session the nonce is a number that only goes up, also past writes that fail. Whoever
/// cannot know which numbers were used draws a new session: a process that opens a file, because
/// its last user may have crashed, or the file may be a copy; a forked child, because its parent
/// goes on counting; and whoever runs out of numbers.
package struct SealingSession {
    /// Seals of one session: all nonces that 4 bytes name.
    package static let maximumSeals: UInt32 = .max

    private let limit: UInt32
    package private(set) var salt = SessionSalt.random()
    private var used: UInt32 = 0
    private var forkGeneration = realm_fork_generation()

    package init(limit: UInt32 = SealingSession.maximumSeals) {
        self.limit = limit
    }

    /// The session and the number of the next seal.
    package mutating func next() -> (salt: SessionSalt, number: UInt32) {
        if used == limit || forkGeneration != realm_fork_generation() {
            self = SealingSession(limit: limit)
        }
        if used == 0 || !planted(.repeatsNonces) { used += 1 }
        return (salt, used)
    }
}
