import BenchmarkKit
import Foundation
import Glibc
import ToolSupport

/// The lengths and the durability of files.
enum FileBytes {
    /// Returns the length of a file in bytes; 0 if it does not exist.
    static func length(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? Int) ?? 0
    }

    /// Returns the length of all files in a folder and its subfolders.
    static func total(inFolder path: String) -> Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { sum, name in
            let file = path + "/" + name
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return sum }
            return sum + length(of: file)
        }
    }

    /// Makes a file durable that other code wrote.
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { Glibc.close(descriptor) }
            throw BenchmarkError(.caseFailed, "'\(path)' could not be synced: \(reason).")
        }
        Glibc.close(descriptor)
    }
}
