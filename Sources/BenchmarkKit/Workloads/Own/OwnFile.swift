import Foundation
import ToolSupport

/// The file of a case of a user's workload, or the folder of another database.
struct OwnFile {
    private static let objectsOfTransaction = 1000

    let workload: BenchmarkWorkload
    let core: CoreCase
    /// The database that the case measures; nil for a Realm.
    private let beside: BenchmarkWorkload.Beside?
    private let size: Int
    private let seed: UInt64

    init(_ workload: BenchmarkWorkload, _ core: CoreCase) {
        self.workload = workload
        self.core = core
        beside = workload.beside(named: core.engine.name)
        size = workload.fill == nil ? 0 : core.size
        seed = core.seed
    }

    private var isChanged: Bool {
        if case .writes = workload.work { true } else { false }
    }

    /// The file that cases of one size and seed read, or copy before they change it.
    private var fixture: String {
        "\(core.environment.fixtures)/\(workload.name)-\(core.size)-\(core.seed)"
            + (FileEncryption.key == nil ? "" : "-encrypted")
            + (beside.map { "-\($0.engine.name)" } ?? "")
    }

    var isInMemory: Bool { beside?.isInMemory == true }

    /// The folder that the measured process opens.
    private var folder: String {
        workload.fill == nil || isChanged || isInMemory ? core.databaseFolder : fixture
    }

    func operation(_ number: Int) -> BenchmarkOperation {
        BenchmarkOperation(number: number, size: size, seed: seed)
    }

    /// Makes the file that the case begins with, in another process than the measurement.
    func prepare() throws {
        if isInMemory { return }
        let folder = try FixtureFolder.make(fixture) { unfinished in
            try FolderFiles.make(unfinished)
            // Durable, so that the free pages of the file, and thereby what a case writes, repeat.
            try fill(workload.open(beside?.engine.name, folder: unfinished, .full))
        }
        guard isChanged else { return }
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(folder, to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    private func fill(_ store: any OwnStore) throws {
        for first in stride(from: 0, to: core.size, by: Self.objectsOfTransaction) {
            try store.write {
                for number in first..<min(first + Self.objectsOfTransaction, core.size) {
                    try store.fill(operation(number))
                }
            }
            core.environment.progress(
                ProgressUpdate(
                    phase: "preparing", fraction: Double(first) / Double(core.size)))
        }
    }

    /// Opens the database in the measured process.
    func open() throws -> any OwnStore {
        if folder == core.databaseFolder { try FolderFiles.make(folder) }
        let store = try workload.open(
            beside?.engine.name, folder: folder, core.benchmarkCase.identifier.durability)
        if isInMemory { try fill(store) }
        return store
    }

    /// Returns what a fresh process has to find after `written` operations.
    func expectation(written: Int, digest: String) throws -> VerificationRequest {
        try VerificationRequest(
            OwnExpectation(
                workload: workload.name, engine: beside?.engine.name, folder: folder,
                durability: core.benchmarkCase.identifier.durability, written: written,
                digest: digest))
    }
}

/// The contents that a user's workload has left.
struct OwnExpectation: ContentsExpectation {
    var workload: String
    /// The name of the database; nil for a Realm.
    var engine: String?
    var folder: String
    var durability: Durability
    var written: Int
    /// The digest of the objects that the measured process saw.
    var digest: String

    func problems() throws -> [String] {
        try problems(of: OwnWorkloads.workload(named: workload))
    }

    /// Returns every difference between the file and this expectation, one sentence each.
    func problems(of own: BenchmarkWorkload) throws -> [String] {
        let store = try own.open(engine, folder: folder, durability)
        var problems = try store.problems()
        if try store.digest() != digest {
            problems.append("The objects of the file are not those that were written.")
        }
        if case .writes(_, _, let check?) = own.work, let realm = (store as? OwnRealm)?.realm,
            let problem = try check(realm, written)
        {
            problems.append(problem)
        }
        return problems
    }
}

extension BenchmarkWorkload {
    func beside(named name: String?) -> Beside? { besides.first { $0.engine.name == name } }

    /// Opens the database with a name, or a Realm, in a folder.
    fileprivate func open(
        _ name: String?, folder: String, _ durability: Durability
    ) throws -> any OwnStore {
        try beside(named: name)?.open(folder)
            ?? OwnRealm(self, path: folder + "/" + PersonsFixture.fileName, durability)
    }
}
