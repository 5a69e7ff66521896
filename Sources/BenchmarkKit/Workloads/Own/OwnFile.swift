import Foundation
import RealmSwift
import RealmTool
import StorageEngine
import ToolSupport

/// The file of a case of a user's workload.
struct OwnFile {
    private static let objectsOfTransaction = 1000

    let workload: BenchmarkWorkload
    let core: CoreCase
    private let size: Int
    private let seed: UInt64

    init(_ workload: BenchmarkWorkload, _ core: CoreCase) {
        self.workload = workload
        self.core = core
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
    }

    var path: String {
        workload.fill == nil || isChanged
            ? core.databasePath : fixture + "/" + PersonsFixture.fileName
    }

    func operation(_ number: Int) -> BenchmarkOperation {
        BenchmarkOperation(number: number, size: size, seed: seed)
    }

    /// Makes the file that the case begins with, in another process than the measurement.
    func prepare() throws {
        let folder = try FixtureFolder.make(fixture) { unfinished in
            try FolderFiles.make(unfinished)
            try fill(unfinished + "/" + PersonsFixture.fileName)
        }
        guard isChanged else { return }
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(folder, to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    private func fill(_ path: String) throws {
        // Durable, so that the free pages of the file, and thereby what a case writes, repeat.
        let realm = try open(path, .full)
        for first in stride(from: 0, to: core.size, by: Self.objectsOfTransaction) {
            try realm.write {
                for number in first..<min(first + Self.objectsOfTransaction, core.size) {
                    try workload.fill?(realm, operation(number))
                }
            }
            core.environment.progress(
                ProgressUpdate(
                    phase: "preparing", fraction: Double(first) / Double(core.size)))
        }
    }

    private func open(_ path: String, _ durability: Durability) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: workload.classes))
    }

    func open() throws -> OwnStore {
        if workload.fill == nil { try FolderFiles.make(core.databaseFolder) }
        return try OwnStore(
            path: path, realm: open(path, core.benchmarkCase.identifier.durability))
    }

    /// Returns what a fresh process has to find after `written` operations.
    func expectation(written: Int, digest: String) throws -> VerificationRequest {
        try VerificationRequest(
            OwnExpectation(
                workload: workload.name, path: path,
                durability: core.benchmarkCase.identifier.durability, written: written,
                digest: digest))
    }
}

/// An open Realm of a user's classes.
final class OwnStore: RealmObjectStore {
    let path: String
    let realm: Realm

    init(path: String, realm: Realm) {
        self.path = path
        self.realm = realm
    }

    /// Returns the digest of all objects of the file, whatever their order.
    func digest() throws -> String {
        let connection = try Connection(Database.open(path: path, options: .ofCase))
        var digest = ResultDigest()
        try ObjectLines.forEach(in: connection) { name, line in
            var row = ResultDigest.Row()
            row.combine(name.utf8)
            row.combine(line)
            digest.add(row)
        }
        return digest.text
    }
}

/// The contents that a user's workload has left.
struct OwnExpectation: ContentsExpectation {
    var workload: String
    var path: String
    var durability: Durability
    var written: Int
    /// The digest of the objects that the measured process saw.
    var digest: String

    func problems() throws -> [String] {
        try problems(of: OwnWorkloads.workload(named: workload))
    }

    /// Returns every difference between the file and this expectation, one sentence each.
    func problems(of own: BenchmarkWorkload) throws -> [String] {
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: own.classes))
        let store = OwnStore(path: path, realm: realm)
        var problems = try store.problems()
        if try store.digest() != digest {
            problems.append("The objects of the file are not those that were written.")
        }
        if case .writes(_, _, let check?) = own.work, let problem = try check(realm, written) {
            problems.append(problem)
        }
        return problems
    }
}
