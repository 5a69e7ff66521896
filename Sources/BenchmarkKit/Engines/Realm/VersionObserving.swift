import StorageEngine

/// An engine that reports which versions of a file are pinned, and by which process.
protocol VersionObserving: BenchmarkEngine {
    /// Returns the use of the bytes of the file at `path` and its pinned versions.
    func versions(of path: String) throws -> Database.Statistics
}

extension RealmEngine {
    func versions(of path: String) throws -> Database.Statistics {
        var options = Database.Options.ofCase
        options.createIfMissing = false
        return try Database.open(path: path, options: options).statistics()
    }
}

extension RealmObjectEngine: VersionObserving {}
extension RealmTableEngine: VersionObserving {}

extension Database.PinnedVersion {
    /// The process that pins the version, as in `4711 realm-bench`.
    var owner: String { "\(processID) \(processName ?? "(name unknown)")" }

    var seconds: Double {
        let parts = age.components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}

extension GrowthPoint {
    /// Fills in the state of the file. Only pins of versions before the newest one hold space back.
    mutating func fill(_ statistics: Database.Statistics) {
        fileBytes = Int(statistics.fileBytes)
        liveBytes = Int(statistics.liveBytes)
        freeBytes = Int(statistics.freeBytes)
        waitingBytes = Int(statistics.waitingBytes)
        newestVersion = Int(statistics.newestVersion)
        pinnedVersions = Set(statistics.pinnedVersions.map { $0.version }).count
        guard let oldest = statistics.pinnedVersions.first else { return }
        oldestPinAgeCommits = Int(statistics.newestVersion) - Int(oldest.version)
        oldestPinAgeSeconds = oldest.seconds
        oldestPinOwner = oldest.owner
    }
}
