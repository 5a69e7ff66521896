import Foundation
import Glibc

/// Returns the bytes of all files of the database at `path`: a file with its write-ahead log or
/// journal, or a folder with its contents. 0 if there is none. A file with holes, as LMDB's may be,
/// counts what it occupies.
package func storedBytes(at path: String) -> Int {
    let manager = FileManager.default
    var isFolder: ObjCBool = false
    guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { return 0 }
    guard isFolder.boolValue else {
        return [path, path + "-wal", path + "-journal"].reduce(0) { $0 + bytes(ofFile: $1) }
    }
    let names = (try? manager.subpathsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { $0 + bytes(ofFile: path + "/" + $1) }
}

private func bytes(ofFile path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return min(Int(status.st_size), Int(status.st_blocks) * 512)
}

/// Returns the size of a file; nil if it does not exist.
package func fileSize(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
}
