import Foundation
import Glibc
import ToolSupport

/// The folder of a run's database files, which is removed when the run ends.
struct StressFolder {
    let path: String
    /// Descriptor of a file in the folder that is locked as long as the run lives.
    private let lock: Int32

    private static let prefix = "realm-stress-"
    private static let lockName = "/lock"
    /// Age below which a folder is left alone, because its run may not have locked it yet.
    private static let leastAgeSeconds = 60.0

    /// Makes the folder, and removes the folders of runs that were killed.
    ///
    /// By default the folder is in memory, where that is possible: a run writes thousands of small
    /// files, and the cost of their syncs does not matter.
    init(below parent: String?, identifier: String) throws {
        let memory = "/dev/shm"
        let place =
            parent
            ?? (FileManager.default.isWritableFile(atPath: memory)
                ? memory : NSTemporaryDirectory())
        Self.removeAbandoned(below: place)
        path = place + "/" + Self.prefix + identifier
        try FolderFiles.make(path)
        lock = open(path + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be locked: \(String(cString: strerror(errno))).")
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        close(lock)
    }

    private static func removeAbandoned(below place: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = place + "/" + name
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
            guard let made = attributes?[.modificationDate] as? Date,
                -made.timeIntervalSinceNow > leastAgeSeconds
            else { continue }
            let descriptor = open(folder + lockName, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
    }
}
