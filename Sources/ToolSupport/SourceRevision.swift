import Foundation

/// The commit of the package's working copy.
package enum SourceRevision {
    /// Returns the hash of the commit that is checked out; nil outside of a working copy.
    package static func current() -> String? {
        output(of: ["rev-parse", "HEAD"])?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns hash, day and subject of the commits that led to the one that is checked out, the
    /// oldest first, separated by tabs; empty outside of a working copy.
    package static func history() -> [String] {
        let log = output(of: ["log", "--reverse", "--topo-order", "--format=%H%x09%cs%x09%s"])
        return log?.split(separator: "\n").map(String.init) ?? []
    }

    private static func output(of arguments: [String]) -> String? {
        guard let package = try? ResourceLocator.packageDirectory() else { return nil }
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = ["git", "-C", package.path] + arguments
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return nil }
        let data = output.remainingBytes()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
