import Foundation
import ToolSupport

/// The commit from which the running program was built, as far as it can be determined. It is the
/// commit that is checked out, because `scripts/stress` builds before it runs.
enum BuildRevision {
    /// Returns the name of the commit, or an empty string outside a checkout. A suffix marks a
    /// build that may differ from the commit, so that its rows are not mistaken for rows of the
    /// commit.
    static func current() -> String {
        guard let revision = SourceRevision.current(),
            let package = try? ResourceLocator.packageDirectory()
        else { return "" }
        return revision + (hasChanges(package) ? "+changes" : "")
            + (isOlderThanSources(package) ? "+old-build" : "")
    }

    /// Whether sources differ from the commit.
    private static func hasChanges(_ package: URL) -> Bool {
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = [
            "git", "-C", package.path, "diff", "--quiet", "HEAD", "--", "Sources", "Package.swift",
        ]
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return false }
        git.waitUntilExit()
        return git.terminationStatus != 0
    }

    private static func isOlderThanSources(_ package: URL) -> Bool {
        guard let built = date(of: URL(fileURLWithPath: ChildProcess.ownExecutable)),
            let sources = FileManager.default.enumerator(
                at: package.appendingPathComponent("Sources"),
                includingPropertiesForKeys: [.contentModificationDateKey])
        else { return false }
        for case let file as URL in sources where file.pathExtension == "swift" {
            if let changed = date(of: file), changed > built { return true }
        }
        return false
    }

    private static func date(of file: URL) -> Date? {
        try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }
}
