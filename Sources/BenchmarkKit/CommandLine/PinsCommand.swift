import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// The command `realm-bench pins`.
struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Tells who keeps a database file from reusing its space.",
        discussion: """
            Prints where the bytes of the file are, and a line for each reader of any process \
            that has pinned a version: what a pinned version reaches cannot be reused. HOLDS are \
            the freed bytes that no other pinned version reaches, so that they become free when \
            the readers of this one have left. A frozen READER keeps its version until the program \
            lets go of what it froze; a live one moves on when its thread does. \
            The file may be in use: it is opened, its write lock is taken for a moment, and \
            nothing in it is changed.

            live     reachable from the newest version
            free     free for the next commit
            waiting  no longer live, but reachable from a version that is pinned

            EXAMPLES
              realm-bench pins people.realm
              realm-bench pins people.realm --key-file people.key

            EXIT CODES
              0   the file was read
              1   the file could not be read
              3   the file is damaged
              64  there is no such file, it may not be read, it is not a database, or
                  the key is not its key
            """)

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "For an encrypted file: a file that consists of the 64 bytes of its key.",
            valueName: "file"))
    var keyFile: String?

    func run() throws {
        print(try Self.report(on: file, key: keyFile.map(Self.key)), terminator: "")
    }

    /// Reads the key from a file. An argument would be visible to every user of the machine.
    static func key(inFile path: String) throws -> [UInt8] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError(.usage, "The key file '\(path)' cannot be read.")
        }
        guard bytes.count == Database.Options.encryptionKeySize else {
            throw BenchmarkError(
                .usage,
                "The key file '\(path)' has \(bytes.count) bytes instead of the "
                    + "\(Database.Options.encryptionKeySize) of a key.")
        }
        return Array(bytes)
    }

    static func report(on path: String, key: [UInt8]? = nil) throws -> String {
        do throws(StorageError) {
            let database = try Database.open(
                path: path, options: .init(createIfMissing: false, encryptionKey: key))
            return report(try database.statistics(), on: path)
        } catch {
            throw BenchmarkError(code(of: error), error.message)
        }
    }

    private static func code(of error: StorageError) -> BenchmarkError.Code {
        switch error.code {
        case .fileNotFound, .permissionDenied, .notADatabase, .unsupportedFormat, .wrongKey: .usage
        case .damaged: .caseFailed
        default: .internalError
        }
    }

    private static func report(_ statistics: Database.Statistics, on path: String) -> String {
        let sizes = [
            ("file", statistics.fileBytes), ("live", statistics.liveBytes),
            ("free", statistics.freeBytes), ("waiting", statistics.waitingBytes),
        ]
        let width = sizes.map { String($0.1).count }.max() ?? 0
        var text = "\(path)\n"
        for (name, bytes) in sizes {
            text += "  \(padded(name, 8))  \(aligned(String(bytes), width)) bytes\n"
        }
        text += "  \(padded("version", 8))  \(statistics.newestVersion)\n"
        guard !statistics.pinnedVersions.isEmpty else { return text + "No version is pinned.\n" }
        text += "\n"
        let header = ["VERSION", "BEHIND", "PINNED FOR", "HOLDS", "READER", "PROCESS", "NAME"]
        let rows = statistics.pinnedVersions.map { pin in
            [
                String(pin.version), String(statistics.newestVersion - pin.version),
                "\(ColumnCatalogue.decimal(pin.seconds)) s", "\(pin.heldBytes) bytes",
                pin.isFrozen ? "frozen" : "live",
                String(pin.processID), pin.processName ?? "(unknown)",
            ]
        }
        return text + table([header] + rows)
    }

    /// Formats rows with numbers aligned to the right and the last column to the left.
    private static func table(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { column in
                column == row.count - 1 ? row[column] : aligned(row[column], widths[column])
            }.joined(separator: "  ") + "\n"
        }.joined()
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
