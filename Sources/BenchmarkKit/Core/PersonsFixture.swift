import Foundation
import RealmSwift

/// A file of keyed persons that several cases only read: made once a run.
enum PersonsFixture {
    /// Makes the file if the run has none yet; returns its path.
    static func path(size: Int, seed: UInt64, in environment: CaseEnvironment) throws -> String {
        let path = environment.fixtures + "/persons-\(size)-\(seed).realm"
        // A process that ended early leaves a file without the mark.
        let mark = path + ".complete"
        if FileManager.default.fileExists(atPath: mark) { return path }
        _ = try Realm.deleteFiles(for: personsConfiguration(path: path, KeyedPerson.self))
        let realm = try Realm(configuration: personsConfiguration(path: path, KeyedPerson.self))
        var generator = PersonGenerator(seed: seed)
        var inserted = 0
        while inserted < size {
            let count = min(10_000, size - inserted)
            try realm.write {
                for _ in 0..<count { realm.add(KeyedPerson(generator.next())) }
            }
            inserted += count
            environment.progress(
                ProgressUpdate(phase: "preparing", fraction: Double(inserted) / Double(size)))
        }
        try Data().write(to: URL(fileURLWithPath: mark))
        return path
    }

    static func open(_ path: String) throws -> Realm {
        try Realm(configuration: personsConfiguration(path: path, KeyedPerson.self))
    }
}
