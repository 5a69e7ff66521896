import Glibc
import StorageEngine
import StressModel

/// A workload on a file system with so many free bytes, which gets more when they are used up.
struct WritingToFullDisk {
    /// Where a full disk was noticed; names in the coverage table.
    private enum Phase: String { case create, begin, change, commit, copy }

    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options
    private let disk: SmallDisk
    private let path: String

    init(_ point: StressPoint, _ trial: Trial, _ kind: SmallDisk.Kind, bytes: Int) throws {
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
        disk = try SmallDisk(kind, bytes: bytes, below: trial.directory)
        path = disk.path + "/database"
    }

    func run() throws {
        let ledger = try write()
        let connection = try Connection(Database.open(path: path, options: options))
        try oracle.judgeAll(connection, ledger)
        trial.count(states: 1, commits: ledger.acknowledged)
    }

    /// In a function of its own, so that the database is closed when it returns.
    private func write() throws -> CommitLedger {
        let connection = try open()
        var ledger = CommitLedger()
        var isFull = true
        for step in 1...oracle.workload.count {
            if let phase = try fullDiskPhase(of: step, connection) {
                guard isFull else {
                    throw Finding(.wrongError, "the disk is full in \(phase) with space on it.")
                }
                try checkUntouched(connection, ledger, phase)
                try copy(connection)
                disk.dropBallast()
                isFull = false
                try oracle.workload.run(step, on: connection)
            }
            ledger.acknowledge(step)
        }
        try oracle.judge(connection, ledger)
        return ledger
    }

    private func open() throws -> Connection {
        do {
            return try Connection(Database.open(path: path, options: options))
        } catch let error as StorageError where error.code == .outOfDiskSpace {
            trial.cover(Phase.create.rawValue)
            disk.dropBallast()
            return try Connection(Database.open(path: path, options: options))
        }
    }

    /// Carries out a transaction; where it stopped because the disk is full, or nil.
    private func fullDiskPhase(of step: Int, _ connection: Connection) throws -> Phase? {
        var phase = Phase.begin
        do {
            try connection.beginWrite()
            phase = .change
            try oracle.workload.change(step, on: connection)
            phase = .commit
            try connection.commit()
            return nil
        } catch let error as StorageError where error.code == .outOfDiskSpace {
            trial.cover(phase.rawValue)
            return phase
        }
    }

    private func checkUntouched(
        _ connection: Connection, _ ledger: CommitLedger, _ phase: Phase
    ) throws {
        if connection.isInWriteTransaction {
            throw Finding(.wrongError, "the transaction goes on after a full disk in \(phase).")
        }
        _ = try connection.refresh()
        // Also takes the write lock: others may still write, if it fits.
        try oracle.judgeAll(connection, ledger)
        trial.count(states: 1, commits: ledger.acknowledged)
    }

    /// There is hardly room for a copy; one that fails leaves nothing behind.
    private func copy(_ connection: Connection) throws {
        let copy = disk.path + "/copy"
        do {
            try connection.writeCopy(toPath: copy, encryptionKey: options.encryptionKey)
            unlink(copy)
        } catch let error as StorageError where error.code == .outOfDiskSpace {
            trial.cover(Phase.copy.rawValue)
            if access(copy, F_OK) == 0 {
                throw Finding(.wrongState, "a copy that did not fit was left behind.")
            }
        }
    }
}
