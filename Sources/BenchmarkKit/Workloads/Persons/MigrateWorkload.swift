import Foundation
import ToolSupport

/// Opening files whose persons have other properties than the program, which migrates them. One
/// operation is one person of the file, whether or not the migration has to look at it.
enum MigrateWorkload {
    static let name = "migrate"
    static let workload = Workload(
        name: name, summary: "opens a file of persons whose class has changed, beside a plain open",
        strategies: PersonMigration.allCases.map {
            Workload.Strategy(
                name: $0.rawValue, summary: $0.summary, layer: "any",
                features: [.persons, .migrations])
        }
    ) {
        var run = try MigrationRun(CoreCase($0, $1))
        return try run.run()
    }.with {
        $0.preparation = { _ = try MigrationFixture(CoreCase($0, $1)).make() }
        $0.strategiesDoTheSameWork = false
        // Mapping a file takes more or fewer instructions, as in the workload `open`.
        $0.countedOperations = nil
    }
}

/// The persons before a migration, in a file that the cases of an engine copy.
private struct MigrationFixture {
    let core: CoreCase

    init(_ core: CoreCase) { self.core = core }

    func make() throws -> String {
        let encryption = FileEncryption.key == nil ? "" : "-encrypted"
        return try FixtureFolder.make(
            "\(core.environment.fixtures)/\(core.engine.name)-\(core.engine.layer)-versioned-"
                + "\(core.size)-\(core.seed)\(encryption)"
        ) { unfinished in
            try FolderFiles.make(unfinished)
            // The file need not survive a power failure, since it is only copied.
            let isUnsynced = core.engine.durabilities.contains(.unsynced)
            let store = try core.engine.openPersons(
                at: unfinished + "/" + PersonsFixture.fileName, after: nil,
                isUnsynced ? .unsynced : .full)
            try FixtureFolder.insert(
                core.size, of: PersonGenerator(seed: core.seed), core.environment, store.insert)
        }
    }
}

/// Rounds of opening a fresh copy of the file, once as it is and once to migrate it.
private struct MigrationRun {
    private let core: CoreCase
    private let migration: PersonMigration
    private let rounds: Int
    private var plain = LatencyRecorder()
    private var latency = LatencyRecorder()
    private var rates: [Double] = []
    private var elapsed: UInt64 = 0
    private var plainElapsed: UInt64 = 0
    private var growth = 0
    private var peak = 0
    private var allocations: AllocationMeasurement
    private var io: IOMeasurement

    init(_ core: CoreCase) throws {
        self.core = core
        guard let migration = PersonMigration(rawValue: core.benchmarkCase.identifier.strategy)
        else { preconditionFailure("Each strategy is a migration.") }
        self.migration = migration
        rounds = Self.rounds(core, migration)
        io = IOMeasurement(core.engine)
        allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
    }

    /// Returns how often the file is migrated; `--count` is the number of persons in all of them.
    private static func rounds(_ core: CoreCase, _ migration: PersonMigration) -> Int {
        if let asked = core.options.count { return max(1, asked / core.size) }
        let isLarge = core.size > 1_000_000
        return migration.visitsObjects ? (isLarge ? 1 : 5) : (isLarge ? 5 : 20)
    }

    mutating func run() throws -> CaseOutcome {
        core.progress(fraction: 0)
        var size = StoreSize(fileBytes: 0)
        for round in 0..<rounds {
            try copyFile()
            // The first open of a process causes a one-time setup, which is excluded.
            if round == 0 { try openPlain() }
            let start = monotonicNanoseconds()
            try openPlain()
            let taken = monotonicNanoseconds() - start
            plain.record(taken)
            plainElapsed += taken
            size = try migrate()
            core.progress(fraction: Double(round + 1) / Double(rounds), rate: rates.last)
        }
        return try outcome(size)
    }

    /// Copies the file that cases share into the folder of this case.
    private func copyFile() throws {
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(MigrationFixture(core).make(), to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    private func openPlain() throws {
        let store = try core.engine.openPersons(
            at: core.databasePath, after: nil, core.benchmarkCase.identifier.durability)
        withExtendedLifetime(store) {}
    }

    /// Opens the file, which migrates it. Returns its size.
    private mutating func migrate() throws -> StoreSize {
        ProcessStatus.resetPeakResidentBytes()
        let watch = MemoryWatch()
        allocations.resume()
        io.resume()
        let start = monotonicNanoseconds()
        let opened = Result {
            try MeasuredRegion.run {
                try core.engine.openPersons(
                    at: core.databasePath, after: migration,
                    core.benchmarkCase.identifier.durability)
            }
        }
        let taken = max(1, PlantedDelay.end(of: start) - start)
        io.pause()
        allocations.pause()
        growth = max(growth, try watch.stop())
        peak = max(peak, ProcessStatus.peakResidentBytes())
        latency.record(taken)
        rates.append(Double(core.size) * 1e9 / Double(taken))
        elapsed += taken
        return try opened.get().size()
    }

    private mutating func outcome(_ size: StoreSize) throws -> CaseOutcome {
        let operations = rounds * core.size
        var result = CaseResult(core.benchmarkCase)
        result.operations = operations
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        // Not as columns, which would have to repeat exactly: they depend on the path's length.
        result.measure(
            "allocations_per_commit", allocations.finish(operations: rounds)?.allocations)
        result.fill(io, commits: rounds, pages: nil, logicalBytes: 0)
        result.fill(size)
        result.peakResidentBytes = peak
        result.measure("anonymous_growth_bytes", Double(growth))
        if let own = latency.percentile(50), let bare = plain.percentile(50) {
            result.measure("plain_open_p50_us", bare)
            result.measure("beside_open_p50_us", own - bare)
        }
        let digest = digest()
        result.digest = digest
        return try CaseOutcome(
            results: [result] + control(), histograms: [.latency: latency.distribution],
            verification: VerificationRequest(
                MigrationExpectation(
                    engine: core.engine.name, layer: core.engine.layer,
                    durability: core.benchmarkCase.identifier.durability, migration: migration,
                    path: core.databasePath, rows: core.size, digest: digest)))
    }

    /// Returns the row of the plain opens.
    private func control() -> [CaseResult] {
        guard core.hasControls else { return [] }
        var control = CaseResult.control(
            "\(migration.rawValue)-open", beside: core.benchmarkCase)
        control.operations = rounds
        control.elapsedSeconds = Double(plainElapsed) / 1e9
        control.latency = plain.summary()
        return [control]
    }

    /// Returns the digest of the migrated persons, without a database.
    private func digest() -> String {
        var digest = ResultDigest()
        var persons = PersonGenerator(seed: core.seed)
        for _ in 0..<core.size {
            digest.add(ResultDigest.Row(migration.migrated(persons.next())))
        }
        return digest.text
    }

    /// A thread that samples how much memory the process has that no file is behind.
    private final class MemoryWatch {
        private let thread: BackgroundThread<Int>

        init() {
            let before = ProcessStatus.anonymousBytes()
            thread = BackgroundThread(name: "memory") { isStopped in
                var most = before
                repeat {
                    most = max(most, ProcessStatus.anonymousBytes())
                    Thread.sleep(forTimeInterval: 0.002)
                } while !isStopped()
                return max(most, ProcessStatus.anonymousBytes()) - before
            }
        }

        /// Stops the thread and returns the largest growth in bytes.
        func stop() throws -> Int { try thread.finish() }
    }
}

/// The expected contents of a file after a migration. A fresh process opens it with the new
/// properties.
struct MigrationExpectation: ContentsExpectation {
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    var migration: PersonMigration
    var path: String
    var rows: Int
    var digest: String

    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer)'.")
        }
        let store = try engine.openPersons(at: path, after: migration, durability)
        var found = 0
        var foundDigest = ResultDigest()
        try store.forEach { person in
            found += 1
            foundDigest.add(ResultDigest.Row(person))
        }
        var problems = try store.problems()
        if found != rows {
            problems.append("The file has \(found) persons instead of \(rows).")
        }
        if foundDigest.text != digest {
            problems.append("The persons of the file are not what the migration makes of them.")
        }
        return problems
    }
}

extension ResultDigest.Row {
    /// Creates the row of a person before or after a migration. Ages and scores are not negative.
    fileprivate init(_ person: MigratedPerson) {
        self.init()
        combine(person.number)
        combine(person.name.utf8)
        combine(person.birthdate)
        combine(person.age ?? -1)
        combine(person.score ?? -1)
        if let text = person.text { combine(text.utf8) }
    }
}
