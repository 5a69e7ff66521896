import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench completion`.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Installs the completion of commands and options for your shell.",
        discussion: """
            Writes one file below your home folder, where the shell looks for it, and says where. \
            bash needs the package bash-completion; zsh needs the folder in fpath before compinit.

            EXAMPLES
              \(tool) completion
              \(tool) completion fish
              \(tool) completion zsh --print > _\(tool)
            """)

    @Argument(
        help: ArgumentHelp(
            "The shell: bash, zsh or fish. Default: that of $SHELL.", valueName: "shell"))
    var shell: String?

    @Flag(help: "Print the script instead of writing it.")
    var print = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let name =
            shell
            ?? URL(fileURLWithPath: environment["SHELL"] ?? "").lastPathComponent
        guard let kind = CompletionShell(rawValue: name) else {
            let known = CompletionShell.allCases.map(\.rawValue)
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "shell", name: name, among: known))
        }
        let script = RealmBenchCommand.completionScript(for: kind)
        if print { return Swift.print(script) }
        let home = environment["HOME"] ?? NSHomeDirectory()
        let place = try Self.file(for: name, home: home, environment)
        try FolderFiles.make(URL(fileURLWithPath: place).deletingLastPathComponent().path)
        try TextFile.write(script, replacing: place)
        Swift.print("\(place)\nIt takes effect in the next shell.")
    }

    /// Returns the file in which a shell looks for the completion of this program.
    static func file(
        for shell: String, home: String, _ environment: [String: String]
    ) throws -> String {
        let program = ToolProgram.current.name
        func folder(_ variable: String, _ usual: String) -> String {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/" + usual
        }
        switch shell {
        case "bash":
            return folder("XDG_DATA_HOME", ".local/share")
                + "/bash-completion/completions/\(program)"
        case "zsh": return home + "/.zfunc/_\(program)"
        case "fish":
            return folder("XDG_CONFIG_HOME", ".config") + "/fish/completions/\(program).fish"
        default: throw BenchmarkError(.usage, "There is no completion for '\(shell)'.")
        }
    }
}
