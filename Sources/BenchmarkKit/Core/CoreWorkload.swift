import Foundation

/// A workload that is written once for all engines, against the stores that they open. Its
/// strategies are the layers of an engine.
protocol CoreWorkload: Workload {
    static var features: [EngineFeature] { get }
}

extension CoreWorkload {
    static var strategies: [(name: String, summary: String)] { layerStrategies }

    static var layerStrategies: [(name: String, summary: String)] {
        [
            (name: "api", summary: "through objects, the way an application does"),
            (name: "engine", summary: "through the interface that lies closest to the storage"),
        ]
    }

    static var defaultSize: Int { 1_000_000 }
    static func features(of strategy: String) -> [EngineFeature]? { features }
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { true }
}

/// A core workload on a file of persons that is made before.
protocol FixtureWorkload: CoreWorkload {
    static var layout: PersonLayout { get }
    static var names: PersonNames { get }
    static var isAged: Bool { get }
    /// Whether a case changes its file, so that it needs a copy.
    static var changesFile: Bool { get }
}

extension FixtureWorkload {
    static var layout: PersonLayout { .integerKey }
    static var names: PersonNames { .numbers }
    static var isAged: Bool { false }
    static var changesFile: Bool { false }

    /// The file is made by another process, so that its making leaves no traces in memory.
    static var isPreparedApart: Bool { true }

    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {
        let core = try CoreCase(benchmarkCase, environment)
        let folder = try fixture(of: core).make(in: environment)
        guard changesFile else { return }
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(folder, to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    /// The file that cases of this kind share, with an oracle of what it holds.
    static func fixture(of core: CoreCase) -> PersonsFixture {
        PersonsFixture(
            engine: core.engine, layout: layout, size: core.size, seed: core.seed, names: names,
            isAged: isAged)
    }

    /// The file that ``prepare(_:in:)`` made: the case's own if it changes it.
    static func path(_ core: CoreCase) throws -> String {
        changesFile ? core.databasePath : try fixture(of: core).path(in: core.environment)
    }
}

/// A case of a core workload with what all of them need.
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

    /// Rows without a database stand beside those of the embedded engine only.
    var hasControls: Bool { engine.name == "realm" }

    /// Whether the bare disk stands beside the case's commits. It waits for the disk, so they do.
    var hasBareDisk: Bool {
        hasControls && options.hasControl && benchmarkCase.identifier.durability == .full
    }

    /// The bare disk that takes turns with the commits of a case; nil if it has none.
    func makeInterleavedControl() throws -> BareDisk? {
        hasBareDisk ? try BareDisk(directory: environment.directory) : nil
    }

    // MARK: Files

    /// A folder of its own for the files of the case's database.
    var databaseFolder: String { environment.directory + "/database" }
    var databasePath: String { databaseFolder + "/" + PersonsFixture.fileName }

    func open(_ path: String, _ layout: PersonLayout) throws -> any PersonStore {
        try engine.openPersons(at: path, layout, benchmarkCase.identifier.durability)
    }

    /// A new, empty database.
    func create(_ layout: PersonLayout) throws -> any PersonStore {
        try makeDatabaseFolder()
        return try open(databasePath, layout)
    }

    /// An empty folder for the files of the case's database.
    func makeDatabaseFolder() throws {
        try? FileManager.default.removeItem(atPath: databaseFolder)
        try CaseRunner.makeDirectory(databaseFolder)
    }

    /// What a fresh process has to find at `path`.
    func expectation(
        _ contents: (rows: Int, digest: String), _ layout: PersonLayout, at path: String? = nil
    ) -> VerificationRequest {
        .table(
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
    /// The digest of a single number.
    static func text(of number: UInt64) -> String {
        var row = Row()
        row.combine(number)
        var digest = ResultDigest()
        digest.add(row)
        return digest.text
    }
}
