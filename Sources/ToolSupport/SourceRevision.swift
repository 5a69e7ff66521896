import Foundation

/// The commit of the package's working copy.
package enum SourceRevision {
    /// Returns the hash of the commit that is checked out; nil outside of a working copy.
    package static func current() -> String? {
        guard let package = try? ResourceLocator.packageDirectory() else { return nil }
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = ["git", "-C", package.path, "rev-parse", "HEAD"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return nil }
        let data = output.remainingBytes()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
