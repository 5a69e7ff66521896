import Foundation

/// The folder of all examples.
let examplesFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

/// The folder of the built programs, in which this test was built as well.
let programsFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

/// A folder that is deleted with its last reference.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// What a terminal showed: commands behind `$ `, their further lines behind `> `, and what they
/// printed.
struct Session {
    private(set) var commands: [String] = []
    let text: String

    /// The session in the blocks of a document that begin with "```console".
    init(document: String) {
        var lines: [Substring] = []
        var isInside = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside {
                lines.append(line)
            }
        }
        text = lines.map { $0 + "\n" }.joined()
        for line in lines {
            if line.hasPrefix("$ ") {
                commands.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("> "), !commands.isEmpty {
                commands[commands.count - 1] += "\n" + line.dropFirst(2)
            }
        }
    }

    /// Returns the document with what the commands have printed in the place of what it shows.
    static func document(_ document: String, showing printed: String) -> String {
        var outputs: [[Substring]] = []
        for line in printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ ") { outputs.append([]) }
            if !outputs.isEmpty { outputs[outputs.count - 1].append(line) }
        }
        var lines: [Substring] = []
        var isInside = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isInside = line == "```console" }
            if isInside, line.hasPrefix("$ "), !outputs.isEmpty { lines += outputs.removeFirst() }
            if !isInside || line.hasPrefix("```") { lines.append(line) }
        }
        return lines.joined(separator: "\n")
    }

    /// Runs the commands in one shell and returns what a terminal would show.
    func run(in folder: URL) throws -> String {
        var script = ""
        for command in commands {
            let shown = command.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n> ")
            script += "printf '%s\\n' '$ \(shown.replacing("'", with: "'\\''"))'\n\(command)\n"
        }
        let scriptURL = folder.appendingPathComponent(".session")
        let outputURL = folder.appendingPathComponent(".output")
        try Data(script.utf8).write(to: scriptURL)
        try Data().write(to: outputURL)
        let output = try FileHandle(forWritingTo: outputURL)
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["timeout", "120", "bash", scriptURL.path]
        shell.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = programsFolder.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["TZ"] = "UTC"
        shell.environment = environment
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = output
        shell.standardError = output
        try shell.run()
        shell.waitUntilExit()
        return String(decoding: try Data(contentsOf: outputURL), as: UTF8.self)
    }
}
