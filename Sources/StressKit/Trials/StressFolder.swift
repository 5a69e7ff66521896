import Foundation
import ToolSupport

/// The folder of a run's database files, which is removed when the run ends.
enum StressFolder {
    private static let prefix = "realm-stress-"

    /// Makes the folder, and removes the folders of runs that were killed.
    ///
    /// By default the folder is in memory, where that is possible: a run writes thousands of small
    /// files, and the cost of their syncs does not matter.
    static func make(below parent: String?, identifier: String) throws -> WorkFolder {
        let memory = "/dev/shm"
        let place =
            parent
            ?? (FileManager.default.isWritableFile(atPath: memory)
                ? memory : NSTemporaryDirectory())
        WorkFolder.removeAbandoned(below: place, prefix: prefix)
        return try WorkFolder(below: place, prefix: prefix, identifier: identifier)
    }
}
