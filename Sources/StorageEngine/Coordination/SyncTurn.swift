/// The process whose turn it is to sync while others write, and the state of its sync. Both are in
/// one word, so that they change atomically. See docs/design.md, "Turns".
package struct SyncTurn: Equatable, Sendable {
    /// The number of the turn (high half), whether its sync has succeeded, and the process slot
    /// plus one.
    let word: UInt64

    private static let doneBit: UInt64 = 1 << 31

    init(word: UInt64) { self.word = word }

    private init(number: UInt64, process: Int) {
        word = (number << 32) | UInt64(process + 1)
    }

    /// The process slot of the turn's holder; nil if no process has the turn.
    var process: Int? {
        let slot = Int(word & (Self.doneBit - 1))
        return slot == 0 ? nil : slot - 1
    }

    /// Whether the sync has succeeded. The announced version is then durable, but perhaps not
    /// published as such.
    var isDone: Bool { word & Self.doneBit != 0 }

    /// Returns the turn after this one. Numbers wrap around, which is harmless: no process misses
    /// 2^32 turns.
    func next(of process: Int) -> SyncTurn {
        SyncTurn(number: UInt64(UInt32(truncatingIfNeeded: word >> 32) &+ 1), process: process)
    }

    var done: SyncTurn { SyncTurn(word: word | Self.doneBit) }

    /// The turn with the same number and without a holder.
    var ended: SyncTurn { SyncTurn(word: (word >> 32) << 32) }
}
