/// The size of a database at one moment and what makes it up: one row of `growth.csv`.
public struct GrowthPoint: Codable, Equatable, Sendable {
    /// The seconds since the measurement began.
    public var elapsed: Double
    /// The commits since the measurement began.
    public var commits: Int
    public var fileBytes: Int
    /// The bytes of pages that the newest version reaches; nil if the engine does not report them.
    public var liveBytes: Int?
    /// The bytes that are free for the next commit.
    public var freeBytes: Int?
    /// The bytes that the newest version no longer reaches but a pinned version still does.
    public var waitingBytes: Int?
    public var pinnedVersions: Int?
    /// The commits since the oldest pinned version; nil if no version is pinned.
    public var oldestPinAgeCommits: Int?
    /// The seconds for which the oldest pinned version has been pinned.
    public var oldestPinAgeSeconds: Double?
    /// The identifier and name of the process that pins it, as in `4711 realm-bench`.
    public var oldestPinOwner: String?
    public var newestVersion: Int?

    public init(elapsed: Double, commits: Int, fileBytes: Int) {
        self.elapsed = elapsed
        self.commits = commits
        self.fileBytes = fileBytes
    }

    static let fileName = "growth.csv"
    static let header = [
        "run_id", "case_id", "elapsed_s", "commits", "file_bytes", "live_bytes", "free_bytes",
        "waiting_bytes", "pinned_versions", "oldest_pin_age_commits", "oldest_pin_age_s",
        "oldest_pin_owner", "newest_version", "sweep",
    ]

    var fields: [String] {
        func text(_ value: Int?) -> String { value.map(String.init) ?? "" }
        return [
            ColumnCatalogue.decimal(elapsed), String(commits), String(fileBytes),
            text(liveBytes), text(freeBytes), text(waitingBytes), text(pinnedVersions),
            text(oldestPinAgeCommits), ColumnCatalogue.decimal(oldestPinAgeSeconds),
            oldestPinOwner ?? "", text(newestVersion),
        ]
    }
}

extension GrowthPoint {
    init?(_ row: RunRow) {
        guard let elapsed = row.number("elapsed_s"), let commits = row.number("commits"),
            let fileBytes = row.number("file_bytes")
        else { return nil }
        func integer(_ column: String) -> Int? { row.number(column).map { Int($0) } }
        self.init(elapsed: elapsed, commits: Int(commits), fileBytes: Int(fileBytes))
        liveBytes = integer("live_bytes")
        freeBytes = integer("free_bytes")
        waitingBytes = integer("waiting_bytes")
        pinnedVersions = integer("pinned_versions")
        oldestPinAgeCommits = integer("oldest_pin_age_commits")
        oldestPinAgeSeconds = row.number("oldest_pin_age_s")
        oldestPinOwner = row["oldest_pin_owner"].isEmpty ? nil : row["oldest_pin_owner"]
        newestVersion = integer("newest_version")
    }
}
