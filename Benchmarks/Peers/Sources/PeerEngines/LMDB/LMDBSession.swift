import BenchmarkKit

/// The common part of the LMDB stores: the lease on the file, and a read transaction that serves
/// all reads until the next write or refresh. Belongs to one thread.
final class LMDBSession {
    let lease: LMDBEnvironment.Lease
    private var reader: LMDBTransaction?
    private var isReading = false

    init(_ path: String, _ settings: LMDBSettings) throws {
        lease = try LMDBEnvironment.lease(path, settings)
    }

    deinit { reader?.abort() }

    var environment: LMDBEnvironment { lease.database }

    @inline(__always)
    func reading() throws -> LMDBTransaction {
        if isReading, let reader { return reader }
        return try beginReading()
    }

    private func beginReading() throws -> LMDBTransaction {
        if let reader {
            try reader.renew()
        } else {
            reader = try LMDBTransaction(environment, isReading: true)
        }
        isReading = true
        return reader!
    }

    func endReading() {
        if isReading { reader?.reset() }
        isReading = false
    }

    func pin() throws {
        endReading()
        _ = try beginReading()
    }

    /// Runs `body` in one transaction.
    func write<Result>(_ body: (LMDBTransaction) throws -> Result) throws -> Result {
        endReading()
        let transaction = try LMDBTransaction(environment, isReading: false)
        let result: Result
        do { result = try body(transaction) } catch {
            transaction.abort()
            throw error
        }
        // A failed commit has ended the transaction as well.
        try transaction.commit()
        return result
    }
}
