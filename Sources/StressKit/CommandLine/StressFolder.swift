import BenchmarkKit
import Foundation
import Glibc

/// The folder of a run's database files, which goes with the run.
struct StressFolder {
    let path: String
    /// Locked as long as the run lives.
    private let lock: Int32

    private static let prefix = "realm-stress-"
    private static let lockName = "/lock"
    /// A folder that is younger may not be locked yet.
    private static let leastAgeSeconds = 60.0

    /// In memory where there is a file system for it: thousands of small files are written, and
    /// what their syncs cost is not the matter. Folders that runs have left there that were killed
    /// are removed.
    init(below parent: String?, identifier: String) throws {
        let memory = "/dev/shm"
        let place =
            parent
            ?? (FileManager.default.isWritableFile(atPath: memory)
                ? memory : NSTemporaryDirectory())
        Self.removeAbandoned(below: place)
        path = place + "/" + Self.prefix + identifier
        try CaseRunner.makeDirectory(path)
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
