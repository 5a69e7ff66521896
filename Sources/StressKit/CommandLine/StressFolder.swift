import BenchmarkKit
import Foundation

/// The folder of a run's database files, which goes with the run.
struct StressFolder {
    let path: String

    /// In memory where there is a file system for it: thousands of small files are written, and
    /// what their syncs cost is not the matter.
    init(below parent: String?, identifier: String) throws {
        let memory = "/dev/shm"
        let place =
            parent
            ?? (FileManager.default.isWritableFile(atPath: memory)
                ? memory : NSTemporaryDirectory())
        path = place + "/realm-stress-" + identifier
        try CaseRunner.makeDirectory(path)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
