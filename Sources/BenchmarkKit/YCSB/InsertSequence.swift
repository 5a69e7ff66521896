import StorageEngine

/// Numbers of records that several clients add, and up to which all are stored.
final class InsertSequence: Sendable {
    private struct State {
        var next: Int
        /// Every record below was stored.
        var stored: Int
        /// Stored records above, which wait for an earlier one.
        var early: Set<Int> = []
    }

    private let state: Locked<State>

    init(records: Int) { state = Locked(State(next: records, stored: records)) }

    /// Records that may be asked for are those below.
    var stored: Int { state.withLock { $0.stored } }

    /// The number of a record that the caller is about to store.
    func take() -> Int {
        state.withLock {
            $0.next += 1
            return $0.next - 1
        }
    }

    /// The record of that number is stored.
    func acknowledge(_ number: Int) {
        state.withLock {
            guard number == $0.stored else {
                $0.early.insert(number)
                return
            }
            $0.stored += 1
            while !$0.early.isEmpty, $0.early.remove($0.stored) != nil { $0.stored += 1 }
        }
    }
}
