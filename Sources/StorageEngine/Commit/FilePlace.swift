import Glibc

/// Where an open file lies, and whether its path still leads to it.
///
/// A file whose last name is removed, and what was committed to it, exists until its last user
/// closes it. Commits to a file that was moved away are not found by openers of the path. So a
/// commit looks before it writes: at the number of names, each time (one system call on the open
/// descriptor), and at the path, which takes three times as long, a thousand times a second at
/// most.
///
/// Doubt is no reason to refuse a commit. If the path leads nowhere or cannot be looked up while
/// the file still has a name, nothing is wrong: the process may see another part of the file system
/// by now, and if the file was moved, the commits are where it was moved to.
struct FilePlace {
    private static let pathCheckNanoseconds: UInt64 = 1_000_000

    private let descriptor: Int32
    /// The path by which the file was opened.
    private let givenPath: String
    /// That path from the root on, without links: so neither another working directory nor a
    /// changed link makes it lead to another file.
    private let path: String
    private let file: System.FileIdentity
    private var lastPathCheck: UInt64

    init(descriptor: Int32, path: String) throws(StorageError) {
        self.descriptor = descriptor
        givenPath = path
        file = try StorageError.converting(.open, path: path) { () throws(SystemFailure) in
            try System.identity(descriptor)
        }
        // Fails where the file has lost its name by now: the next commit reports that.
        self.path = (try? System.realPath(path)) ?? path
        lastPathCheck = 0
    }

    /// Checks that a commit written now would be found.
    ///
    /// - Throws: `.fileReplaced`.
    mutating func check() throws(StorageError) {
        if let present = try? System.identity(descriptor), present.linkCount == 0 {
            throw lost("was removed")
        }
        let now = System.monotonicNanoseconds
        guard now - lastPathCheck >= Self.pathCheckNanoseconds else { return }
        if let present = try? System.identity(path: path),
            present.device != file.device || present.inode != file.inode
        {
            throw lost("was moved away, and another one put in its place,")
        }
        lastPathCheck = now
    }

    private func lost(_ how: String) -> StorageError {
        StorageError(
            .fileReplaced, path: givenPath,
            message: "Realm file at path '\(givenPath)' \(how) while it was open: nothing can be "
                + "committed to it any more. What this process still reads can be saved with "
                + "writeCopy; then close the Realm in all processes and open it again")
    }
}
