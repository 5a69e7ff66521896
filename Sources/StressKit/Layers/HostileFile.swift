import Glibc
import StorageEngine
import StressModel

/// A small file that was closed in order, and a check of what happens when it is damaged. Reading
/// it must give a typed error or exactly what the file held, in bounded time.
package struct HostileFile {
    private let oracle: PrefixOracle
    private let options: Database.Options
    package let bytes: [UInt8]
    /// The same file some transactions earlier.
    package let earlier: [UInt8]

    /// Upper bound of the time for opening and reading, which takes milliseconds for half a
    /// megabyte.
    private static let longestNanoseconds: UInt64 = 5_000_000_000
    /// Error codes allowed for a damaged file.
    private static let codes: Set<StorageError.Code> = [
        .damaged, .notADatabase, .unsupportedFormat,
    ]

    package init(_ point: StressPoint, _ trial: Trial) throws {
        let workload = try point.workload()
        oracle = PrefixOracle(workload)
        options = try point.options()
        let path = trial.file("sound")
        trial.remove(path)
        defer { trial.remove(path) }
        let half = workload.count / 2
        try Self.run(workload, 1..<half + 1, path, options)
        earlier = try trial.read(path)
        try Self.run(workload, half + 1..<workload.count + 1, path, options)
        bytes = try trial.read(path)
    }

    /// Runs transactions. A separate function, so that the database is closed when it returns.
    private static func run(
        _ workload: StressWorkload, _ steps: Range<Int>, _ path: String,
        _ options: Database.Options
    ) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        for step in steps { try workload.run(step, on: connection) }
    }

    /// Opens the damaged file, and reads and verifies all of it.
    ///
    /// - Returns: whether it held what it should; false if it gave a typed error.
    @discardableResult
    package func judge(_ damage: FileDamage, at path: String) throws -> Bool {
        let start = Self.processorNanoseconds
        var isRight = true
        do {
            try read(path)
        } catch let error as StorageError {
            guard Self.codes.contains(error.code) else {
                throw Finding(
                    .wrongError, "\(error.code) for a damaged file: \(error.message)")
            }
            guard error.path == path, !error.message.isEmpty else {
                throw Finding(.wrongError, "the error does not say where: \(error.message)")
            }
            isRight = false
        }
        let nanoseconds = Self.processorNanoseconds - start
        guard nanoseconds <= Self.longestNanoseconds else {
            throw Finding(
                .overLimit, "reading it took \(nanoseconds / 1_000_000) ms.")
        }
        return isRight
    }

    /// Processor time of this thread, which does all of the reading.
    private static var processorNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Reads everything. A separate function, so that the database is closed when it returns.
    private func read(_ path: String) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        try oracle.judgeAll(connection, CommitLedger(acknowledged: oracle.workload.count))
    }
}
