import Glibc

/// The names of what lies beside a database file, and of files that are on their way to becoming
/// one.
///
/// A name in a directory has 255 bytes at most. A database file may have one of 250, with which
/// `.lock` just fits; so no other name here grows with that of the file.
enum SideFiles {
    private static let longestName = 255
    private static let managementSuffix = ".management"

    /// Names in `.management`: a packed file that is to take the place of the file, and what
    /// opening it leaves beside it.
    static let packedCopy = "compact"
    static let namesInManagement = [packedCopy, packedCopy + ".lock"]

    /// Used by other libraries for files of this kind. This one makes none.
    static func note(of path: String) -> String { path + ".note" }

    /// A directory that holds nothing but what this library puts there. Where the name of the file
    /// is too long for a suffix, the name of the directory is made from a hash of it.
    static func management(of path: String) -> String {
        var name = name(of: path)
        if name.utf8.count + managementSuffix.utf8.count <= longestName {
            return path + managementSuffix
        }
        let hash = name.withUTF8 { Checksum.hash(UnsafeRawBufferPointer($0), seed: 0) }
        return sibling(".realm-" + String(hash, radix: 16) + managementSuffix, of: path)
    }

    /// A name that nobody else uses, for a copy that gets its own when it is whole.
    static func temporaryCopy(of path: String) -> String {
        sibling(".realm-copy-" + String(UInt64.random(in: .min ... .max), radix: 16), of: path)
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static func sibling(_ name: String, of path: String) -> String {
        path.lastIndex(of: "/").map { path[...$0] + name } ?? name
    }

    /// Makes the directory for `path`, and removes what a process that was killed has left in it.
    ///
    /// Throws if something else has its name, a link to a directory also: what lies there is not
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

    /// Removes, by their names, the files that this library makes in the directory.
    static func clearManagement(of path: String) {
        let directory = management(of: path)
        guard isOwnDirectory(directory) else { return }
        for name in namesInManagement { try? System.unlink(directory + "/" + name) }
    }

    /// Removes the directory with what this library makes in it, and leaves it where it holds
    /// anything else.
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

    /// Runs `body`, for which some failures mean that nothing was to be done.
    static func ignoring(
        _ numbers: Int32..., body: () throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        do { try body() } catch { if !numbers.contains(error.errno) { throw error } }
    }
}
