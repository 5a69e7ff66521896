/// The changes of one transaction.
public struct RecordedTransaction: Sendable {
    /// The version that the transaction became.
    public let version: UInt64
    /// The ``Connection/identity`` of the connection that wrote it.
    public let writer: UInt64
    public let changes: ChangeSet
}

/// The transactions of this process that an observation may still ask for, in memory only.
///
/// Commits are recorded while an observation exists. A transaction is dropped once all observations
/// have passed it. When the log is full, the oldest transactions are dropped first. All methods may
/// be called from any thread.
final class ChangeLog: Sendable {
    /// The largest size of the log, in parts of about 50 bytes.
    static let maximumSize = 1 << 16
    /// The size of a transaction without the parts of its changes.
    static let transactionSize = 16

    fileprivate struct State {
        /// For each observation, the version up to which it has reported everything.
        var positions: [UInt64: UInt64] = [:]
        /// Recorded transactions of consecutive versions.
        var transactions: [RecordedTransaction] = []
        var size = 0
        var lastIdentity: UInt64 = 0
    }

    private let state = Locked(State())
    /// The number of observations, readable without the lock because every transaction checks it.
    private let observationCount: ObservationCount

    /// An atomic word that all threads may read.
    private struct ObservationCount: @unchecked Sendable {
        // Safe to share: it is only accessed atomically.
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

    /// Returns a number that identifies a connection or an observation within its database.
    func makeIdentity() -> UInt64 {
        state.withLock {
            $0.lastIdentity += 1
            return $0.lastIdentity
        }
    }

    /// Adds an observation that has reported everything up to `version`, and returns its number.
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

    /// Adds a transaction, before its version becomes visible to others.
    ///
    /// If versions are missing before it, because a transaction was not recorded or another process
    /// wrote, all older transactions are useless and dropped.
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

    /// Drops all transactions. It must be called when recorded transactions have failed, because
    /// other transactions will get the numbers of their versions.
    func removeAll() {
        state.withLock { $0.dropFirst($0.transactions.count) }
    }

    /// Returns all transactions after version `old` up to `new`; nil if one of them is not
    /// recorded.
    func transactions(after old: UInt64, through new: UInt64) -> [RecordedTransaction]? {
        if new <= old { return [] }
        return state.withLock { state in
            guard let first = state.transactions.first?.version, first <= old + 1,
                new < first + UInt64(state.transactions.count)
            else { return nil }
            return Array(state.transactions[Int(old + 1 - first)...Int(new - first)])
        }
    }

    /// The size of the recorded transactions, for tests.
    var size: Int { state.withLock { $0.size } }
}

extension ChangeLog.State {
    /// Drops the transactions that all observations have passed.
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
