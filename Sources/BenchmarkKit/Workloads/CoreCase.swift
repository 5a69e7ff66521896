import Foundation
import ToolSupport

/// A case of a core workload with the values that all of them need.
struct CoreCase {
    let benchmarkCase: BenchmarkCase
    let environment: CaseEnvironment
    let engine: any BenchmarkEngine

    init(_ benchmarkCase: BenchmarkCase, _ environment: CaseEnvironment) throws {
        self.benchmarkCase = benchmarkCase
        self.environment = environment
        engine = try benchmarkCase.engine()
    }

    var size: Int { benchmarkCase.identifier.size }
    var options: CaseOptions { benchmarkCase.options }
    var seed: UInt64 { benchmarkCase.options.seed }

    /// Whether the case has control rows. Only cases of the embedded engine do.
    var hasControls: Bool { engine.name == "realm" }

    /// Whether the case has the bare disk as a control. Only durable commits are comparable with
    /// it, since it waits for the disk. An open loop has no time for it.
    var hasBareDisk: Bool {
        hasControls && options.hasControl && options.rate == nil
            && benchmarkCase.identifier.durability == .full
    }

    /// Returns the bare disk that is interleaved with the commits of the case, or nil if it has
    /// none.
    func makeInterleavedControl() throws -> BareDisk? {
        hasBareDisk ? try BareDisk(directory: environment.directory) : nil
    }

    // MARK: Files

    /// The folder for the files of the case's database only.
    var databaseFolder: String { environment.directory + "/database" }
    var databasePath: String { databaseFolder + "/" + PersonsFixture.fileName }

    func open(_ path: String, _ layout: PersonLayout) throws -> any PersonStore {
        try engine.openPersons(at: path, layout, benchmarkCase.identifier.durability)
    }

    /// Creates an empty database.
    func create(_ layout: PersonLayout) throws -> any PersonStore {
        try makeDatabaseFolder()
        return try open(databasePath, layout)
    }

    /// Creates an empty folder for the files of the case's database.
    func makeDatabaseFolder() throws {
        try? FileManager.default.removeItem(atPath: databaseFolder)
        try FolderFiles.make(databaseFolder)
    }

    /// Returns the contents that a fresh process has to find at `path`.
    func expectation(
        _ contents: (rows: Int, digest: String), _ layout: PersonLayout, at path: String? = nil
    ) throws -> VerificationRequest {
        try VerificationRequest(
            TableExpectation(
                engine: engine.name, layer: engine.layer,
                durability: benchmarkCase.identifier.durability, layout: layout,
                path: path ?? databasePath, rows: contents.rows, digest: contents.digest))
    }

    // MARK: Progress

    func progress(fraction: Double, rate: Double? = nil, secondsLeft: Double? = nil) {
        environment.progress(
            ProgressUpdate(
                phase: "running", fraction: min(1, fraction), secondsLeft: secondsLeft,
                operationsPerSecond: rate))
    }
}

extension CaseResult {
    mutating func fill(_ allocated: (allocations: Double, bytes: Double)?) {
        allocationsPerOperation = allocated?.allocations
        allocatedBytesPerOperation = allocated?.bytes
    }
}

extension ResultDigest {
    /// Returns the digest of a single number.
    static func text(of number: UInt64) -> String {
        var row = Row()
        row.combine(number)
        var digest = ResultDigest()
        digest.add(row)
        return digest.text
    }
}
