import StorageEngine

/// A sequence of transactions over a small database, as a function of a seed, with the digest of
/// the whole database after each.
///
/// Transactions are numbered from 1. Leaving some out gives another valid workload, which is how a
/// failure is shrunk.
package struct StressWorkload: Sendable {
    package let transactions: [[StressOperation]]
    /// Number that each transaction had before some were left out. The names of objects depend on
    /// it.
    private let numbers: [Int]
    /// Digests by number of transactions. They include one transaction more than was asked for,
    /// with which a caller can check that a database still accepts a transaction.
    package let digests: [UInt64]

    /// Number of transactions that were asked for, without those left out.
    package var count: Int { transactions.count - 1 }

    package init(seed: UInt64, scale: StressScale, count: Int, skipping: Set<Int> = []) {
        numbers = (1...(count + 1)).filter { !skipping.contains($0) }
        transactions = numbers.map { number in
            var random = RepeatableRandom(seed: seed, part: UInt64(number))
            return StressOperation.transaction(scale, number: number, &random)
        }
        var model = ModelDatabase()
        var digests = [model.digest()]
        for (transaction, number) in zip(transactions, numbers) {
            model.apply(transaction, number: number)
            digests.append(model.digest())
        }
        self.digests = digests
    }

    /// Carries out a transaction and commits it. Rolls back on failure.
    ///
    /// - Throws: `StorageError`.
    package func run(
        _ transaction: Int, on connection: Connection, _ durability: CommitDurability = .full
    ) throws {
        try connection.beginWrite()
        try change(transaction, on: connection)
        try connection.commit(durability)
    }

    /// Carries out a transaction between its beginning and its commit. Rolls back on failure.
    package func change(_ transaction: Int, on connection: Connection) throws {
        do {
            try apply(transaction, to: connection)
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    private func apply(_ transaction: Int, to connection: Connection) throws {
        if try connection.table(named: StressSchema.progress) == nil {
            try connection.createTables(StressSchema.definitions)
            _ = try connection.table(named: StressSchema.progress)!.insert([.integer(0)])
            _ = try connection.table(named: StressSchema.bystander)!.insert([.integer(0)])
        }
        var writer = try OperationWriter(connection, transaction: numbers[transaction - 1])
        for operation in transactions[transaction - 1] { try writer.apply(operation) }
        let progress = try connection.table(named: StressSchema.progress)!
        try progress.set(0, of: progress.key(at: 0), to: .integer(Int64(transaction)))
    }

    // MARK: What a database holds

    /// Returns the number of transactions that the connection's version holds.
    package static func progress(of connection: Connection) throws -> Int {
        guard let table = try connection.table(named: StressSchema.progress),
            try table.count() > 0,
            case .integer(let count) = try table.value(0, of: table.key(at: 0))
        else { return 0 }
        return Int(count)
    }

    package static func digest(of connection: Connection) throws -> UInt64 {
        try DatabaseDigest.of(connection, skipping: [StressSchema.bystander])
    }

    /// Increments the number that no transaction of a workload touches, in a durable commit, and
    /// returns it. Calls `hasLock` once the write lock is held.
    package static func countBystander(
        on connection: Connection, hasLock: () -> Void = {}
    ) throws -> Int64 {
        try connection.beginWrite()
        hasLock()
        do {
            let table = try connection.table(named: StressSchema.bystander)!
            let key = try table.key(at: 0)
            var count: Int64 = 1
            if case .integer(let before) = try table.value(0, of: key) { count = before + 1 }
            try table.set(0, of: key, to: .integer(count))
            try connection.commit()
            return count
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }
}
