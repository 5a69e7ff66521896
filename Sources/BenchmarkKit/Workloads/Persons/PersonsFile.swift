import Foundation
import ToolSupport

/// The file of persons on which a case works, created before the measurement.
struct PersonsFile: Sendable {
    var layout = PersonLayout.integerKey
    var names = PersonNames.numbers
    /// Whether the file was changed at random.
    var isAged = false
    /// Whether a case changes its file and therefore needs a copy of the fixture.
    var isChanged = false

    static let plain = PersonsFile()
    static let letters = PersonsFile(names: .letters)
    static let aged = PersonsFile(isAged: true)
    static let changed = PersonsFile(isChanged: true)

    /// The features that an engine needs to create the file.
    var features: [EngineFeature] {
        [.persons] + layout.features + (isAged ? [.updates, .deletes] : [])
    }

    /// Creates the file, in another process than the measurement.
    @Sendable
    func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {
        let core = try CoreCase(benchmarkCase, environment)
        let folder = try fixture(of: core).make(in: environment)
        guard isChanged else { return }
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(folder, to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    /// Returns the fixture that cases of this kind share, which has an oracle of its contents.
    func fixture(of core: CoreCase) -> PersonsFixture {
        PersonsFixture(
            engine: core.engine, layout: layout, size: core.size, seed: core.seed, names: names,
            isAged: isAged)
    }

    /// Returns the path of the file that ``prepare(_:in:)`` created, which is the case's own copy
    /// if the case changes it.
    func path(_ core: CoreCase) throws -> String {
        isChanged ? core.databasePath : try fixture(of: core).path(in: core.environment)
    }

    func open(_ core: CoreCase) throws -> any PersonStore { try core.open(path(core), layout) }
}

extension PersonLayout {
    var features: [EngineFeature] {
        switch self {
        case .unkeyed: []
        case .integerKey: [.integerKeys]
        case .stringKey: [.stringKeys]
        case .indexed: [.secondaryIndex]
        case .indexedNumber: [.indexedNumbers]
        }
    }
}

extension Workload {
    /// A workload on a file of persons. `needs` are the features beside those that the file needs.
    static func persons(
        _ name: String, _ summary: String, needs features: [EngineFeature] = [],
        on file: PersonsFile = .plain, threads: Int = 1,
        _ run: @escaping @Sendable (CoreCase, PersonsFile) throws -> CaseOutcome
    ) -> Workload {
        core(name, summary, needs: file.features + features, threads: threads) {
            try run($0, file)
        }.with { $0.preparation = file.prepare }
    }
}
