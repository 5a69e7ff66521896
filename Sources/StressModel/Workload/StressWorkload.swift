import StorageEngine

/// A sequence of transactions over a small database, a function of its seed, and the digest of the
/// whole database after each.
///
/// Transactions are numbered from 1. Leaving some out gives another workload that is as good, which
/// is how a failure is made small.
package struct StressWorkload: Sendable {
    package let transactions: [[StressOperation]]
    /// What the numbers of the transactions were before some were left out: names of objects depend
    /// on them.
    private let numbers: [Int]
    /// By how many transactions there have been. One more than was asked for can be made, by
    /// whoever checks that a database still takes a transaction.
    package let digests: [UInt64]

    /// The transactions that were asked for.
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

    /// Carries out a transaction, and commits it. Rolls back when it fails.
    ///
    /// - Throws: `StorageError`.
    package func run(
        _ transaction: Int, on connection: Connection, _ durability: CommitDurability = .full
    ) throws {
        try connection.beginWrite()
        try change(transaction, on: connection)
        try connection.commit(durability)
    }

    /// The part of a transaction between its beginning and its commit. Rolls back when it fails.
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

    /// How many transactions the connection's version holds.
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

    /// Adds one to the number that no transaction of a workload touches, and returns it.
    /// `hasLock` is called once the write lock is held.
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
