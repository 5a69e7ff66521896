import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The command `realm studio`, which starts the program `realm-studio`.
struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: StudioOptions.abstract,
        discussion: StudioOptions.discussion)

    @OptionGroup var options: StudioOptions

    static let program = "realm-studio"

    func run() throws {
        guard let path = Self.programPath() else {
            throw ToolError(
                .usage,
                "'\(Self.program)' is neither beside this program nor in a folder of PATH. "
                    + "It is a package of its own, because it brings a web server. In the folder "
                    + "of the library, this builds it and starts it:\n"
                    + "  scripts/studio FILE ...")
        }
        var arguments = CommandLine.arguments
        // 'realm studio', and what follows.
        if let name = arguments.firstIndex(of: "studio") { arguments.removeFirst(name + 1) }
        let copies = ([path] + arguments).map { strdup($0) }
        execv(path, copies + [nil])
        throw ToolError(
            .internalError, "'\(path)' cannot be started: \(String(cString: strerror(errno))).")
    }

    /// The program beside this one, or in the first folder of `PATH` that has it.
    private static func programPath() -> String? {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ([own.deletingLastPathComponent().path] + folders.map(String.init))
            .map { "\($0)/\(program)" }
            .first { access($0, X_OK) == 0 }
    }
}

/// The options of the Studio.
public struct StudioOptions: ParsableArguments {
    public static let abstract = "Shows files in the browser: tables, queries, what changes."
    public static let discussion = """
        Serves a page on 127.0.0.1 and opens it; without a desktop, prints its address. The \
        address has a random token, and only who has it gets in. Nothing but the named files can \
        be read, and without --edit they cannot be changed. The files may be in use by other \
        processes, whose commits the page follows. \
        docs/guide/studio.md shows what the page can do.

        With --results, it also shows the runs of 'realm-bench' in a folder: their reports, and \
        how metrics went from run to run.

        EXAMPLES
          realm studio people.realm
          realm studio people.realm orders.realm --port 8080 --no-open
          realm studio secret.realm --key-file secret.key
          realm studio people.realm --edit
          realm studio --results results
        """

    @Argument(help: ArgumentHelp("The database files.", valueName: "file"))
    public var files: [String] = []

    @Flag(
        name: .customLong("edit"),
        help: "Let the page change objects, each change in a transaction that it can take back.")
    public var allowsChanges = false

    @Option(
        help: ArgumentHelp(
            "A folder with runs of 'realm-bench' to show, or the folder of one.",
            valueName: "folder"))
    public var results: String?

    @Option(help: "The port of the page; by default, one that is free.")
    public var port = 0

    @Flag(name: .customLong("no-open"), help: "Print the address only.")
    var opensNothing = false

    @OptionGroup var keyOptions: KeyOptions

    public init() {}

    public mutating func validate() throws {
        guard !files.isEmpty || results != nil else {
            throw ValidationError("Name a file to look into, or runs with --results.")
        }
        guard (0...65535).contains(port) else {
            throw ValidationError("--port is from 0 to 65535.")
        }
    }

    public var opensBrowser: Bool { !opensNothing }

    /// The key of the files that are encrypted; nil if none is named. The page asks for it then.
    public func key() throws -> [UInt8]? { try keyOptions.key() }
}
