import CRealmSystem

/// A generator of pairs of key and nonce that never repeats a pair.
///
/// Within a session the nonce is a number that only increases, even if the write fails. A new
/// session begins wherever used numbers may be unknown. This includes a process that opens a file,
/// because its last user may have crashed or the file may be a copy, and a forked child, because
/// its parent continues to count. It also begins when the numbers are used up.
package struct SealingSession {
    /// The most seals of one session: all nonces that 4 bytes distinguish.
    package static let maximumSeals: UInt32 = .max

    private let limit: UInt32
    package private(set) var salt = SessionSalt.random()
    private var used: UInt32 = 0
    private var forkGeneration = realm_fork_generation()

    package init(limit: UInt32 = SealingSession.maximumSeals) {
        self.limit = limit
    }

    /// Returns the session and the number of the next seal.
    package mutating func next() -> (salt: SessionSalt, number: UInt32) {
        if used == limit || forkGeneration != realm_fork_generation() {
            self = SealingSession(limit: limit)
        }
        if used == 0 || !planted(.repeatsNonces) { used += 1 }
        return (salt, used)
    }
}
