import ArgumentParser
import Glibc
import StorageEngine
import ToolSupport

/// The command `realm compact`.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites a file without free space.",
        discussion: """
            The new file replaces the old one in one step once it is complete, with the same \
            objects, owner and permissions. The disk needs room for both meanwhile. No process may \
            have the file open; those that open it now wait. With --output, a packed copy is \
            written instead, and the file may be in use. After Control-C, a full disk or a power \
            failure, the file is the old one or the new one, as a whole.

            EXAMPLES
              realm compact people.realm
              realm compact people.realm --output backup.realm
            """)

    @OptionGroup var target: RewritingOptions
    @OptionGroup var key: KeyOptions

    func run() throws {
        let key = try key.key()
        try Rewriting(target, key: key, newKey: key, title: "Compacting").run()
    }
}

/// The command `realm encrypt`.
struct EncryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Encrypts a plain file.",
        discussion: """
            The encrypted file replaces the plain one in one step, as with 'realm compact'. The \
            disk may still hold what the plain file consisted of; a new disk, or one that is \
            encrypted itself, does not. Who loses the key loses the data.

            EXAMPLES
              head -c 64 /dev/urandom > people.key
              realm encrypt people.realm --new-key-file people.key
              realm encrypt people.realm --new-key-variable KEY --output secret.realm
            """)

    @OptionGroup var target: RewritingOptions
    @OptionGroup var newKey: NewKeyOptions

    func run() throws {
        try Rewriting(target, key: nil, newKey: newKey.key(), title: "Encrypting").run()
    }
}

/// The command `realm decrypt`.
struct DecryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Makes an encrypted file a plain one.",
        discussion: """
            The plain file replaces the encrypted one in one step, as with 'realm compact'.

            EXAMPLES
              realm decrypt people.realm --key-file people.key
              realm decrypt people.realm --key-file people.key --output plain.realm
            """)

    @OptionGroup var target: RewritingOptions
    @OptionGroup var key: KeyOptions

    func run() throws {
        guard let key = try key.key() else {
            throw ToolError(
                .usage, "Name the key of the file with --key-file or --key-variable.")
        }
        try Rewriting(target, key: key, newKey: nil, title: "Decrypting").run()
    }
}

/// The command `realm rekey`.
struct RekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Encrypts an encrypted file with another key.",
        discussion: """
            The new file replaces the old one in one step, as with 'realm compact'. The disk may \
            still hold what the old file consisted of, which the old key opens.

            EXAMPLES
              head -c 64 /dev/urandom > new.key
              realm rekey people.realm --key-file people.key --new-key-file new.key
            """)

    @OptionGroup var target: RewritingOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func run() throws {
        guard let key = try key.key() else {
            throw ToolError(
                .usage, "Name the present key of the file with --key-file or --key-variable.")
        }
        let newKey = try newKey.key()
        guard newKey != key else {
            throw ToolError(.usage, "The new key is the present one.")
        }
        try Rewriting(target, key: key, newKey: newKey, title: "Encrypting").run()
    }
}

/// The arguments of the commands that rewrite a file.
struct RewritingOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write a copy to this new file, and leave the file as it is.", valueName: "file"))
    var output: String?
}

/// The rewriting of a file in place, or into a copy.
struct Rewriting {
    let target: RewritingOptions
    let key: [UInt8]?
    let newKey: [UInt8]?
    let title: String

    init(_ target: RewritingOptions, key: [UInt8]?, newKey: [UInt8]?, title: String) {
        self.target = target
        self.key = key
        self.newKey = newKey
        self.title = title
    }

    func run() throws {
        Interruption.watch()
        let before: UInt64
        do {
            // Not open any more when it is replaced.
            let source = try RealmFile.open(target.file, key: key)
            before = try source.database.fileSize
            if let output = target.output { try copy(source, to: output) }
        }
        if target.output == nil { try replace() }
        let output = ByteOutput.standard
        let after = fileSize(target.output ?? target.file) ?? 0
        output.append(
            text: "\(target.output ?? target.file): \(Display.bytes(Int(clamping: before))) "
                + "before, \(Display.bytes(after)) now.\n")
        try output.finish()
    }

    private func showing(_ progress: ProgressLine) -> Database.Progress {
        { [path = target.file] done, all throws(StorageError) in
            try Interrupted.check(path)
            progress.update(done, of: all) { _ in Display.bytes(Int(clamping: done)) }
        }
    }

    private func replace() throws(ToolError) {
        let progress = ProgressLine(title)
        defer { progress.clear() }
        let isDone: Bool
        do throws(StorageError) {
            isDone = try Database.rewrite(
                path: target.file, options: .init(createIfMissing: false, encryptionKey: key),
                encryptionKey: newKey, progress: showing(progress))
        } catch {
            throw failure(error, adding: "'\(target.file)' is unchanged.")
        }
        if !isDone { throw whyNot }
    }

    private func copy(_ source: RealmFile, to output: String) throws(ToolError) {
        let progress = ProgressLine(title)
        defer { progress.clear() }
        do throws(StorageError) {
            try source.connection.writeCopy(
                toPath: output, encryptionKey: newKey, progress: showing(progress))
        } catch {
            var failure = failure(error, adding: "'\(output)' was not written.")
            // Until it is complete, the copy has a name that says nothing.
            if error.path != target.file {
                failure.message.replace(error.path, with: output)
            }
            throw failure
        }
    }

    /// An error, and what there is after it where that is certain.
    private func failure(_ error: StorageError, adding state: String) -> ToolError {
        var failure = ToolError(error)
        if error.code == .interrupted || error.code == .outOfDiskSpace {
            failure.message += "\n" + state
        }
        return failure
    }

    private var whyNot: ToolError {
        var status = stat()
        if lstat(target.file, &status) == 0, status.st_nlink > 1 {
            return ToolError(
                .usage,
                "'\(target.file)' has \(status.st_nlink) names (hard links), of which only one "
                    + "would lead to the new file. --output writes a copy.")
        }
        return ToolError(
            .inUse,
            "'\(target.file)' is open in another process, so it is unchanged. 'realm pins "
                + "\(target.file)' may tell in which one. --output writes a copy meanwhile.")
    }
}
