import ArgumentParser
import StorageEngine
import ToolSupport

/// The command `realm pins`, which `realm-bench` has as well.
package struct PinsCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
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
              realm pins people.realm
              realm pins people.realm --key-file people.key

            EXIT CODES
              0   the file was read
              1   the file could not be read
              3   the file is damaged
              64  there is no such file, it may not be read, it is not a database, or
                  the key is not its key
            """)

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @OptionGroup var key: KeyOptions

    package init() {}

    package func run() throws { print(try Self.report(on: file, key: key.key()), terminator: "") }

    package static func report(on path: String, key: [UInt8]? = nil) throws -> String {
        try RealmFile.checkSignature(path)
        do throws(StorageError) {
            let database = try Database.open(
                path: path, options: .init(createIfMissing: false, encryptionKey: key))
            return report(try database.statistics(), on: path)
        } catch {
            throw ToolError(error, isOfOpening: true, hasKey: key != nil)
        }
    }

    private static func report(_ statistics: Database.Statistics, on path: String) -> String {
        var sizes = TextTable(leftColumns: [0], header: ["", ""])
        for (name, bytes) in [
            ("file", statistics.fileBytes), ("live", statistics.liveBytes),
            ("free", statistics.freeBytes), ("waiting", statistics.waitingBytes),
        ] { sizes.rows.append([name, "\(bytes) bytes"]) }
        var lines = ["\(path)"] + sizes.lines().dropFirst(2).map { "  " + $0 }
        lines.append("  version  \(statistics.newestVersion)")
        if statistics.pinnedVersions.isEmpty {
            lines.append("No version is pinned.")
        } else {
            lines += [""] + pins(statistics)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// A line for each reader, below a line that names the columns.
    static func pins(_ statistics: Database.Statistics) -> [String] {
        var table = TextTable(
            leftColumns: [6],
            header: ["VERSION", "BEHIND", "PINNED FOR", "HOLDS", "READER", "PROCESS", "NAME"])
        for pin in statistics.pinnedVersions {
            table.rows.append([
                String(pin.version), String(statistics.newestVersion - pin.version),
                "\(Display.number(pin.seconds)) s", "\(pin.heldBytes) bytes",
                pin.isFrozen ? "frozen" : "live",
                String(pin.processID), pin.processName ?? "(unknown)",
            ])
        }
        var lines = table.lines()
        lines.remove(at: 1)
        return lines
    }
}

extension Database.PinnedVersion {
    /// How long it has been pinned, in seconds.
    fileprivate var seconds: Double {
        Double(age.components.seconds) + Double(age.components.attoseconds) / 1e18
    }
}
