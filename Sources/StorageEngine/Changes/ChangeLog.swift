/// What one transaction did.
public struct RecordedTransaction: Sendable {
    /// The version that it became.
    public let version: UInt64
    /// ``Connection/identity`` of the connection that wrote it.
    public let writer: UInt64
    public let changes: ChangeSet
}

/// The transactions of this process that somebody may still ask for, in memory only.
///
/// Every commit is recorded while an observation exists, and kept until all observations have moved
/// on, or until the log is full: then the oldest go. Used by any thread.
final class ChangeLog: Sendable {
    /// The log has at most so many parts, of some 50 bytes each.
    static let maximumSize = 1 << 16
    /// What a transaction takes beside the parts of its changes.
    static let transactionSize = 16

    fileprivate struct State {
        /// For each observation, the version up to which it knows everything.
        var positions: [UInt64: UInt64] = [:]
        /// Of consecutive versions.
        var transactions: [RecordedTransaction] = []
        var size = 0
        var lastIdentity: UInt64 = 0
    }

    private let state = Locked(State())
    /// Beside the lock, because every transaction asks.
    private let observationCount: ObservationCount

    /// A word that all threads read.
    private struct ObservationCount: @unchecked Sendable {
        // Safe to share: accessed atomically only.
        let word: UnsafeMutablePointer<UInt32>
    }

    init() {
        observationCount = ObservationCount(word: .allocate(capacity: 1))
        observationCount.word.initialize(to: 0)
    }

    deinit { observationCount.word.deallocate() }

    /// Whether the next transaction is to be recorded.
    var isObserved: Bool { observationCount.word.loadRelaxed() != 0 }

    // MARK: Observations

    /// A number that tells connections and observations of a database apart.
    func makeIdentity() -> UInt64 {
        state.withLock {
            $0.lastIdentity += 1
            return $0.lastIdentity
        }
    }

    /// An observation that knows everything up to a version. Returns its number.
    func register(at version: UInt64) -> UInt64 {
        let identity = makeIdentity()
        state.withLock { $0.positions[identity] = version }
        _ = observationCount.word.fetchAdd(1)
        return identity
    }

    func move(_ observation: UInt64, to version: UInt64) {
        state.withLock {
            $0.positions[observation] = version
            $0.dropKnown()
        }
    }

    func unregister(_ observation: UInt64) {
        _ = observationCount.word.fetchAdd(UInt32.max)
        state.withLock {
            $0.positions[observation] = nil
            $0.dropKnown()
        }
    }

    // MARK: Transactions

    /// Adds a transaction before its version can be seen by others. A gap before it, from a
    /// transaction that was not recorded or another process, makes the older ones useless.
    func append(_ transaction: RecordedTransaction) {
        state.withLock { state in
            if state.positions.isEmpty { return }
            if let last = state.transactions.last, last.version + 1 != transaction.version {
                state.dropFirst(state.transactions.count)
            }
            state.transactions.append(transaction)
            state.size += transaction.size
            var surplus = 0
            var size = state.size
            while size > Self.maximumSize {
                size -= state.transactions[surplus].size
                surplus += 1
            }
            state.dropFirst(surplus)
        }
    }

    /// For when transactions failed after they were added: others get the numbers of their
    /// versions.
    func removeAll() {
        state.withLock { $0.dropFirst($0.transactions.count) }
    }

    /// All transactions after version `old` up to `new`; nil if one of them is not recorded.
    func transactions(after old: UInt64, through new: UInt64) -> [RecordedTransaction]? {
        if new <= old { return [] }
        return state.withLock { state in
            guard let first = state.transactions.first?.version, first <= old + 1,
                new < first + UInt64(state.transactions.count)
            else { return nil }
            return Array(state.transactions[Int(old + 1 - first)...Int(new - first)])
        }
    }

    /// The size of what is kept, for tests.
    var size: Int { state.withLock { $0.size } }
}

extension ChangeLog.State {
    /// Drops what all observations know.
    fileprivate mutating func dropKnown() {
        guard let oldest = positions.values.min() else { return dropFirst(transactions.count) }
        dropFirst(transactions.partitionPoint { $0.version <= oldest })
    }

    fileprivate mutating func dropFirst(_ count: Int) {
        for transaction in transactions[..<count] { size -= transaction.size }
        transactions.removeFirst(count)
    }
}

extension RecordedTransaction {
    fileprivate var size: Int { ChangeLog.transactionSize + changes.size }
}
