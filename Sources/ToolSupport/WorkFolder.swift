import Foundation
import Glibc

/// A folder for database files that belongs to one run. The run keeps a file in it locked, and the
/// kernel releases the lock however the run ends. So the next run finds folders of killed runs, and
/// removes them.
package final class WorkFolder: Sendable {
    package let path: String
    /// The descriptor of the locked file.
    private let lock: Int32

    private static let lockName = "/lock"

    /// Makes a folder named `prefix` and `identifier`.
    ///
    /// It is made under another name, and gets its own when it is locked, so that no other run
    /// takes it for abandoned in between.
    package init(below place: String, prefix: String, identifier: String) throws {
        let place = URL(fileURLWithPath: place)
        path = place.appendingPathComponent(prefix + identifier).path
        let unlocked = place.appendingPathComponent("new-" + prefix + identifier).path
        try FolderFiles.make(unlocked)
        lock = open(unlocked + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(unlocked, path) == 0 else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be made and locked: \(String(cString: strerror(errno))).")
        }
    }

    deinit { close(lock) }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The folders of killed runs that were removed, and the bytes that their files occupied.
    package struct Removed: Equatable, Sendable {
        package var folders = 0
        package var bytes = 0

        package init() {}

        /// What was removed, for the user.
        package var sentence: String {
            "Removed the databases of \(Display.count(folders, "killed run")): "
                + "\(Display.bytes(bytes))."
        }

        package static func += (sum: inout Removed, next: Removed) {
            sum.folders += next.folders
            sum.bytes += next.bytes
        }
    }

    /// Removes the folders below `place` that begin with `prefix` and that no living process owns.
    @discardableResult
    package static func removeAbandoned(below place: String, prefix: String) -> Removed {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        var removed = Removed()
        for name in names where name.hasPrefix(prefix) {
            let folder = place + "/" + name
            let descriptor = open(folder + lockName, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            let bytes = FolderFiles.diskBytes(below: folder)
            do { try FileManager.default.removeItem(atPath: folder) } catch { continue }
            removed.folders += 1
            removed.bytes += bytes
        }
        return removed
    }
}
