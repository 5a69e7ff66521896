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
            written instead, and the file may be in use.

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
        try Rewriting(target, key: key, newKey: newKey.key(), title: "Encrypting").run()
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
        let before = try sizeOfFile()
        let progress = ProgressLine(title)
        defer { progress.clear() }
        let copied: (UInt64, UInt64) -> Void = { done, all in
            progress.update(done, of: all) { _ in Display.bytes(Int(clamping: done)) }
        }
        if let output = target.output {
            let opened = try RealmFile.open(target.file, key: key)
            try opened.connection.writeCopy(
                toPath: output, encryptionKey: newKey, progress: copied)
        } else {
            let isDone = try Database.rewrite(
                path: target.file,
                options: .init(createIfMissing: false, encryptionKey: key),
                encryptionKey: newKey, progress: copied)
            if !isDone { throw whyNot }
        }
        progress.clear()
        let output = ByteOutput.standard
        let after = fileSize(target.output ?? target.file) ?? 0
        output.append(
            text: "\(target.output ?? target.file): \(Display.bytes(Int(clamping: before))) "
                + "before, \(Display.bytes(after)) now.\n")
        try output.finish()
    }

    /// The size of the file, which is there, is a database and has the key. Nobody has it open
    /// through this command when this returns.
    private func sizeOfFile() throws(StorageError) -> UInt64 {
        try RealmFile.open(target.file, key: key).database.fileSize
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
