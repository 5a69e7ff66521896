import Foundation

/// A file of persons that several cases read or copy: made once a run.
struct PersonsFixture {
    var engine: any BenchmarkEngine
    var layout: PersonLayout
    var size: Int
    var seed: UInt64
    var names = PersonNames.numbers
    var isAged = false

    /// The name of the database in its folder.
    static let fileName = "persons"
    /// A few persons a transaction would make a large file slow to make.
    private static let batchSize = 10_000

    /// A folder of its own, because some engines keep several files.
    private func folder(in environment: CaseEnvironment) -> String {
        "\(environment.fixtures)/\(engine.name)-\(engine.layer)-\(layout)-\(names)-\(size)-"
            + "\(seed)" + (isAged ? "-aged" : "") + (FileEncryption.key == nil ? "" : "-encrypted")
    }

    /// Makes the file if the run has none yet; returns its folder.
    func make(in environment: CaseEnvironment) throws -> String {
        let folder = folder(in: environment)
        if FileManager.default.fileExists(atPath: folder) { return folder }
        // A process that ended early leaves a folder of this name.
        let unfinished = folder + ".unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        if isAged {
            var young = self
            young.isAged = false
            try FolderFiles.copy(young.make(in: environment), to: unfinished)
            try age(unfinished + "/" + Self.fileName)
        } else {
            try CaseRunner.makeDirectory(unfinished)
            try fill(unfinished + "/" + Self.fileName, environment)
        }
        try FolderFiles.sync(below: unfinished)
        try FileManager.default.moveItem(atPath: unfinished, toPath: folder)
        return folder
    }

    /// The file that ``make(in:)`` made.
    func path(in environment: CaseEnvironment) throws -> String {
        try make(in: environment) + "/" + Self.fileName
    }

    /// Files that are only read, or copied before they are written, need not survive a loss of
    /// power while they are made; but relaxed commits of the embedded engine leave free pages where
    /// its background sync came by, so that by time the cases would count otherwise.
    private func open(_ path: String) throws -> any PersonStore {
        let isUnsynced = engine.durabilities.contains(.unsynced)
        return try engine.openPersons(at: path, layout, isUnsynced ? .unsynced : .full)
    }

    private func fill(_ path: String, _ environment: CaseEnvironment) throws {
        let store = try open(path)
        var generator = PersonGenerator(seed: seed, names: names)
        var inserted = 0
        var batch: [PersonValues] = []
        while inserted < size {
            batch.removeAll(keepingCapacity: true)
            for _ in 0..<min(Self.batchSize, size - inserted) { batch.append(generator.next()) }
            try store.insert(batch[...])
            inserted += batch.count
            environment.progress(
                ProgressUpdate(phase: "preparing", fraction: Double(inserted) / Double(size)))
        }
    }

    private func age(_ path: String) throws {
        let store = try open(path)
        try Ageing.forEachStep(size: size, seed: seed, names: names) { try store.apply($0) }
    }

    /// What the file holds.
    func oracle() -> PersonsOracle {
        var oracle = PersonsOracle(size: size, seed: seed, names: names)
        if isAged {
            Ageing.forEachStep(size: size, seed: seed, names: names) { oracle.apply($0) }
        }
        return oracle
    }
}

extension FolderFiles {
    static func copy(_ folder: String, to target: String) throws {
        do { try FileManager.default.copyItem(atPath: folder, toPath: target) } catch {
            throw BenchmarkError(
                .internalError,
                "'\(folder)' cannot be copied to '\(target)': "
                    + "\((error as NSError).localizedDescription)")
        }
    }
}
