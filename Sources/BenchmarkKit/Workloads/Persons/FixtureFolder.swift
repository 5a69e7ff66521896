import Foundation
import ToolSupport

/// A folder with the files of a database that several cases read or copy, created once a run.
enum FixtureFolder {
    /// The number of persons in one transaction; small transactions would make a large file slow to
    /// create.
    private static let batchSize = 10_000

    /// Has `fill` create a folder, unless the run has it already. Returns the folder.
    static func make(_ folder: String, _ fill: (_ unfinished: String) throws -> Void) throws
        -> String
    {
        if FileManager.default.fileExists(atPath: folder) { return folder }
        // A process that ended early leaves a folder with this name.
        let unfinished = folder + ".unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        try fill(unfinished)
        try FolderFiles.sync(below: unfinished)
        try FileManager.default.moveItem(atPath: unfinished, toPath: folder)
        return folder
    }

    /// Inserts the first persons of a sequence.
    static func insert(
        _ size: Int, of persons: PersonGenerator, _ environment: CaseEnvironment,
        _ insert: (ArraySlice<PersonValues>) throws -> Void
    ) throws {
        var persons = persons
        var inserted = 0
        var batch: [PersonValues] = []
        while inserted < size {
            batch.removeAll(keepingCapacity: true)
            for _ in 0..<min(batchSize, size - inserted) { batch.append(persons.next()) }
            try insert(batch[...])
            inserted += batch.count
            environment.progress(
                ProgressUpdate(phase: "preparing", fraction: Double(inserted) / Double(size)))
        }
    }
}
