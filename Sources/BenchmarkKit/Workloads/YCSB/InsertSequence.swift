import StorageEngine

/// The numbers of records that several clients add, and the bound below which all are stored.
final class InsertSequence: Sendable {
    private struct State {
        var next: Int
        /// The bound below which every record is stored.
        var stored: Int
        /// The stored records above the bound, which wait for an earlier one.
        var early: Set<Int> = []
    }

    private let state: Locked<State>

    init(records: Int) { state = Locked(State(next: records, stored: records)) }

    /// The bound below which clients may read records.
    var stored: Int { state.withLock { $0.stored } }

    /// Returns the number of a record that the caller is about to store.
    func take() -> Int {
        state.withLock {
            $0.next += 1
            return $0.next - 1
        }
    }

    /// Notes that the record with that number is stored.
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
