import Glibc

/// Names of files beside a database file, and of files that are to become one.
///
/// A name in a directory has 255 bytes at most. The name of a database file may have 250, to which
/// `.lock` can just be added; so no other name here grows with the name of the file.
enum SideFiles {
    private static let longestName = 255
    private static let managementSuffix = ".management"

    /// Names in `.management`: a packed copy that is to replace the file, and the file that opening
    /// the copy leaves beside it.
    static let packedCopy = "compact"
    static let namesInManagement = [packedCopy, packedCopy + ".lock"]

    /// A file that other libraries put beside files of this kind. This library makes none.
    static func note(of path: String) -> String { path + ".note" }

    /// A directory that holds only files of this library. Where the name of the file is too long
    /// for a suffix, the name of the directory is made from a hash of it.
    static func management(of path: String) -> String {
        var name = name(of: path)
        if name.utf8.count + managementSuffix.utf8.count <= longestName {
            return path + managementSuffix
        }
        let hash = name.withUTF8 { Checksum.hash(UnsafeRawBufferPointer($0), seed: 0) }
        return sibling(".realm-" + String(hash, radix: 16) + managementSuffix, of: path)
    }

    /// A random name for a copy, which gets its final name when it is complete.
    static func temporaryCopy(of path: String) -> String {
        sibling(".realm-copy-" + String(UInt64.random(in: .min ... .max), radix: 16), of: path)
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static func sibling(_ name: String, of path: String) -> String {
        path.lastIndex(of: "/").map { path[...$0] + name } ?? name
    }

    /// Makes the directory for `path`, and removes files that a killed process has left in it.
    ///
    /// Throws if anything but a directory has its name, even a link to one: its contents are not
    /// this library's.
    static func prepareManagement(of path: String) throws(SystemFailure) -> String {
        let directory = management(of: path)
        try System.makeDirectory(directory)
        guard try System.status(path: directory, followsLinks: false).isDirectory else {
            throw SystemFailure(call: .mkdir, errno: EEXIST)
        }
        clearManagement(of: path)
        return directory
    }

    /// Removes the files that this library makes in the directory, by their names.
    static func clearManagement(of path: String) {
        let directory = management(of: path)
        guard isOwnDirectory(directory) else { return }
        for name in namesInManagement { try? System.unlink(directory + "/" + name) }
    }

    /// Removes the directory and the files that this library makes in it. Leaves the directory if
    /// it holds anything else.
    static func removeManagement(of path: String) throws(SystemFailure) {
        let directory = management(of: path)
        guard isOwnDirectory(directory) else { return }
        for name in namesInManagement {
            try ignoring(ENOENT) { () throws(SystemFailure) in
                try System.unlink(directory + "/" + name)
            }
        }
        try ignoring(ENOENT, ENOTEMPTY, EEXIST) { () throws(SystemFailure) in
            try System.removeDirectory(directory)
        }
    }

    private static func isOwnDirectory(_ path: String) -> Bool {
        (try? System.status(path: path, followsLinks: false))?.isDirectory == true
    }

    /// Runs `body`, and ignores failures with these error numbers, which mean that there was
    /// nothing to do.
    static func ignoring(
        _ numbers: Int32..., body: () throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        do { try body() } catch { if !numbers.contains(error.errno) { throw error } }
    }
}
