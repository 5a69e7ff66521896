import RealmSwift
import StorageEngine
import StressModel

/// Opens files of the layer of asynchronous writes and judges them.
struct AsyncJudge {
    let point: StressPoint
    let trial: Trial

    /// A number that no writer has.
    private static let writer = 0

    /// Opens a file that no process has open, judges it, and makes a further transaction, which
    /// must be there once the file is opened again.
    ///
    /// - Parameter isWhole: whether every commit was acknowledged.
    /// - Parameter mayHaveTornRecords: whether a power loss may have torn several commits. That is
    ///   reported as long as the file is open for the first time.
    func reopen(
        _ path: String, _ ledger: AsyncLedger, isWhole: Bool = false,
        mayHaveTornRecords: Bool = false
    ) throws {
        do {
            let found = try goOn(path, ledger, isWhole, mayHaveTornRecords)
            let again = try judge(path, ledger)
            if again.count != found + 1 || again.last?.writer != Self.writer {
                throw Finding(.lostCommit, "a transaction after reopening is not there.")
            }
            trial.count(states: 2, commits: ledger.least)
        } catch let error as Realm.Error {
            throw Finding(.reopenFailure, "\(error.code): \(error)")
        } catch let error as StorageError {
            throw Finding(.reopenFailure, "\(error.code): \(error.message)")
        }
    }

    /// The first of the two openings. A separate function, so that the file is closed when it
    /// returns.
    private func goOn(
        _ path: String, _ ledger: AsyncLedger, _ isWhole: Bool, _ mayHaveTornRecords: Bool
    ) throws -> Int {
        let realm = try Realm(configuration: point.asyncConfiguration(path))
        let journal = try point.asyncJournal()
        let found = try journal.tickets(in: realm)
        try ledger.judge(found, isWhole: isWhole)
        try verify(path, mayHaveTornRecords)
        let ticket = AsyncTicket(writer: Self.writer, number: found.count + 1)
        let order = try realm.write { journal.append(ticket, isInTurn: false, to: realm) }
        if order != found.count + 1 {
            throw Finding(.wrongState, "a transaction after reopening is number \(order).")
        }
        return found.count
    }

    private func judge(_ path: String, _ ledger: AsyncLedger) throws -> [AsyncTicket] {
        let realm = try Realm(configuration: point.asyncConfiguration(path))
        let found = try point.asyncJournal().tickets(in: realm)
        try ledger.judge(found)
        try verify(path, false)
        return found
    }

    private func verify(_ path: String, _ mayHaveTornRecords: Bool) throws {
        try Connection(Database.open(path: path, options: point.options()))
            .checkIntact(mayHaveTornRecords: mayHaveTornRecords)
    }

    /// Returns the contents of a file with an empty journal that was closed cleanly.
    func prepare() throws -> [UInt8] {
        let path = trial.file("prepared")
        trial.remove(path)
        defer { trial.remove(path) }
        try create(path)
        return try trial.read(path)
    }

    /// Makes a file with an empty journal, which is closed when this returns.
    func create(_ path: String) throws {
        try point.asyncJournal().create(in: Realm(configuration: point.asyncConfiguration(path)))
    }
}
