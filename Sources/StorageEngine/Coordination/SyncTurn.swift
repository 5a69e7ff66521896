/// Whose turn it is to sync beside writers, and how far that is: one word, so that it changes in one
/// step. docs/design.md, "Turns".
package struct SyncTurn: Equatable, Sendable {
    /// The number of the turn, whether its sync has succeeded, and the process slot plus one.
    let word: UInt64

    private static let doneBit: UInt64 = 1 << 31

    init(word: UInt64) { self.word = word }

    private init(number: UInt64, process: Int) {
        word = (number << 32) | UInt64(process + 1)
    }

    /// The process slot of whoever has the turn; nil if nobody has it.
    var process: Int? {
        let slot = Int(word & (Self.doneBit - 1))
        return slot == 0 ? nil : slot - 1
    }

    /// The sync has succeeded; what it was announced for is durable, and perhaps not known to be.
    var isDone: Bool { word & Self.doneBit != 0 }

    /// The turn after this one. Numbers wrap around; nobody sleeps through four thousand million.
    func next(of process: Int) -> SyncTurn {
        SyncTurn(number: UInt64(UInt32(truncatingIfNeeded: word >> 32) &+ 1), process: process)
    }

    var done: SyncTurn { SyncTurn(word: word | Self.doneBit) }

    /// The same number, and nobody's.
    var ended: SyncTurn { SyncTurn(word: (word >> 32) << 32) }
}
