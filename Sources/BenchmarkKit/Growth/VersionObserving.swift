import StorageEngine

/// An engine that tells which versions of a file are pinned, and by whom.
protocol VersionObserving: BenchmarkEngine {
    /// Where the bytes of the file at `path` are and who pins what.
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
    /// `4711 realm-bench`.
    var owner: String { "\(processID) \(processName ?? "(name unknown)")" }

    var seconds: Double {
        let parts = age.components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}

extension GrowthPoint {
    /// The pins that hold space back are those of versions before the newest.
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
