/// How large a database was at one moment, and why: one row of `growth.csv`.
public struct GrowthPoint: Codable, Equatable, Sendable {
    /// Seconds since measuring began.
    public var elapsed: Double
    /// Commits since measuring began.
    public var commits: Int
    public var fileBytes: Int
    /// Bytes of pages that the newest version reaches; nil where the engine cannot tell.
    public var liveBytes: Int?
    /// Bytes free to be used by the next commit.
    public var freeBytes: Int?
    /// Bytes that no longer belong to the newest version but that a pinned one still needs.
    public var waitingBytes: Int?
    public var pinnedVersions: Int?
    /// Commits since the oldest pinned version; nil when nothing is pinned.
    public var oldestPinAgeCommits: Int?
    /// Seconds for which it has been pinned.
    public var oldestPinAgeSeconds: Double?
    /// Process id and name of who pins it, as in `4711 realm-bench`.
    public var oldestPinOwner: String?
    public var newestVersion: Int?

    public init(elapsed: Double, commits: Int, fileBytes: Int) {
        self.elapsed = elapsed
        self.commits = commits
        self.fileBytes = fileBytes
    }

    static let header = [
        "run_id", "case_id", "elapsed_s", "commits", "file_bytes", "live_bytes", "free_bytes",
        "waiting_bytes", "pinned_versions", "oldest_pin_age_commits", "oldest_pin_age_s",
        "oldest_pin_owner", "newest_version", "sweep",
    ]

    func fields(run: String, case identifier: String) -> [String] {
        func text(_ value: Int?) -> String { value.map(String.init) ?? "" }
        return [
            run, identifier, ColumnCatalogue.decimal(elapsed), String(commits), String(fileBytes),
            text(liveBytes), text(freeBytes), text(waitingBytes), text(pinnedVersions),
            text(oldestPinAgeCommits), ColumnCatalogue.decimal(oldestPinAgeSeconds),
            oldestPinOwner ?? "", text(newestVersion),
        ]
    }
}
