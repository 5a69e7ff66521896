import Foundation
import ToolSupport

/// A file of persons that several cases read or copy, created once a run.
struct PersonsFixture {
    var engine: any BenchmarkEngine
    var layout: PersonLayout
    var size: Int
    var seed: UInt64
    var names = PersonNames.numbers
    var isAged = false

    /// The name of the database in its folder.
    static let fileName = "persons"
    /// Returns the folder of the fixture. Some engines keep several files, so each fixture has a
    /// folder of its own.
    private func folder(in environment: CaseEnvironment) -> String {
        "\(environment.fixtures)/\(engine.name)-\(engine.layer)-\(layout)-\(names)-\(size)-"
            + "\(seed)" + (isAged ? "-aged" : "") + (FileEncryption.key == nil ? "" : "-encrypted")
    }

    /// Creates the file unless the run has it already. Returns its folder.
    func make(in environment: CaseEnvironment) throws -> String {
        try FixtureFolder.make(folder(in: environment)) { unfinished in
            if isAged {
                var young = self
                young.isAged = false
                try FolderFiles.copy(young.make(in: environment), to: unfinished)
                try age(unfinished + "/" + Self.fileName)
            } else {
                try FolderFiles.make(unfinished)
                try fill(unfinished + "/" + Self.fileName, environment)
            }
        }
    }

    /// Returns the path of the file that ``make(in:)`` creates.
    func path(in environment: CaseEnvironment) throws -> String {
        try make(in: environment) + "/" + Self.fileName
    }

    /// Opens the store without durability if the engine can. Fixtures need not survive a power
    /// failure, since they are only read, or copied before they are written. Relaxed durability is
    /// not used: in the embedded engine the timing of the background sync decides which pages are
    /// free, and the counts of the cases would depend on it.
    private func open(_ path: String) throws -> any PersonStore {
        let isUnsynced = engine.durabilities.contains(.unsynced)
        return try engine.openPersons(at: path, layout, isUnsynced ? .unsynced : .full)
    }

    private func fill(_ path: String, _ environment: CaseEnvironment) throws {
        let store = try open(path)
        try FixtureFolder.insert(
            size, of: PersonGenerator(seed: seed, names: names), environment, store.insert)
    }

    private func age(_ path: String) throws {
        let store = try open(path)
        try Ageing.forEachStep(size: size, seed: seed, names: names) { try store.apply($0) }
    }

    /// Returns the expected contents of the file.
    func oracle() -> PersonsOracle {
        var oracle = PersonsOracle(size: size, seed: seed, names: names)
        if isAged {
            Ageing.forEachStep(size: size, seed: seed, names: names) { oracle.apply($0) }
        }
        return oracle
    }
}
