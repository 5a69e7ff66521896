import Foundation
import Glibc
import StorageEngine
import StressModel

/// A workload on a file system with a limited number of free bytes. When the disk is full, the
/// ballast is dropped and the workload goes on. Then the file is compacted, first with too little
/// space.
struct WritingToFullDisk {
    /// Phases in which a full disk was noticed. Raw values are names in the coverage table.
    private enum Phase: String { case create, begin, change, commit, copy, compact }

    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options
    private let disk: SmallDisk
    private let bytes: Int
    private let path: String
    private let interceptor: SystemInterceptor

    init(_ point: StressPoint, _ trial: Trial, _ kind: SmallDisk.Kind, bytes: Int) throws {
        self.trial = trial
        self.bytes = bytes
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
        disk = try SmallDisk(kind, bytes: bytes, below: trial.directory)
        path = disk.path + "/database"
        // Has no faults: it only records which calls found the disk full.
        interceptor = SystemInterceptor(scope: .files(pathPrefix: disk.path))
    }

    func run() throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        let ledger = try write()
        try judge(ledger)
        try compact()
        try judge(ledger)
    }

    /// Opens the file and judges it. A separate function, so that the database is closed when it
    /// returns.
    private func judge(_ ledger: CommitLedger) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        try oracle.judgeAll(connection, ledger)
        trial.count(states: 1, commits: ledger.acknowledged)
    }

    /// Returns the result of `body`, or nil if the disk was full. Counts the calls that found it
    /// full.
    private func unlessFull<R>(_ phase: () -> Phase, _ body: () throws -> R) throws -> R? {
        let before = fullDisks
        do {
            return try body()
        } catch let error as StorageError where error.code == .outOfDiskSpace {
            for (call, count) in fullDisks where count > before[call] ?? 0 {
                trial.cover("\(phase().rawValue) (\(call.rawValue))")
            }
            return nil
        }
    }

    /// Number of times that each call found the disk full.
    private var fullDisks: [SystemCall: Int] {
        let failures = interceptor.failures.filter { $0.key.errno == ENOSPC }
        return Dictionary(uniqueKeysWithValues: failures.map { ($0.key.call, $0.value) })
    }

    /// Runs the workload. A separate function, so that the database is closed when it returns.
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
        func open() throws -> Connection {
            try Connection(Database.open(path: path, options: options))
        }
        if let connection = try unlessFull({ .create }, open) { return connection }
        disk.dropBallast()
        return try open()
    }

    /// Carries out a transaction. Returns the phase in which it found the disk full, or nil.
    private func fullDiskPhase(of step: Int, _ connection: Connection) throws -> Phase? {
        var phase = Phase.begin
        let isDone: Void? = try unlessFull({ phase }) {
            try connection.beginWrite()
            phase = .change
            try oracle.workload.change(step, on: connection)
            phase = .commit
            try connection.commit()
        }
        return isDone == nil ? phase : nil
    }

    private func checkUntouched(
        _ connection: Connection, _ ledger: CommitLedger, _ phase: Phase
    ) throws {
        if connection.isInWriteTransaction {
            throw Finding(.wrongError, "the transaction goes on after a full disk in \(phase).")
        }
        _ = try connection.refresh()
        // This also takes the write lock: others may still write what fits.
        try oracle.judgeAll(connection, ledger)
        trial.count(states: 1, commits: ledger.acknowledged)
    }

    /// Copies the file, for which there is hardly space. A copy that fails must leave nothing
    /// behind.
    private func copy(_ connection: Connection) throws {
        let copy = disk.path + "/copy"
        let isDone: Void? = try unlessFull({ .copy }) {
            try connection.writeCopy(toPath: copy, encryptionKey: options.encryptionKey)
        }
        if isDone == nil, access(copy, F_OK) == 0 {
            throw Finding(.wrongState, "a copy that did not fit was left behind.")
        }
        unlink(copy)
    }

    /// Compacts the file with so little space that it may not fit, then with enough.
    private func compact() throws {
        try disk.leaveFree(bytes % Self.roomForCompaction)
        let isDone = try unlessFull({ .compact }) {
            try Database.compact(path: path, options: options)
        }
        if isDone == false {
            throw Finding(.wrongState, "a file that no process has open was not compacted.")
        }
        disk.dropBallast()
        try trial.compactAlone(path, options)
    }

    /// Upper bound of the free space for compaction. It is larger than any packed file here.
    private static let roomForCompaction = 1 << 20
}
