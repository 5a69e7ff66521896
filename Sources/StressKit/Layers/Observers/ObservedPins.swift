import StorageEngine
import StressModel

/// The versions of an observed file that are pinned.
struct ObservedPins {
    let database: Database

    /// Seconds to wait for what takes milliseconds.
    private static let patienceSeconds: UInt64 = 10

    init(_ database: Database) { self.database = database }

    /// Returns the different versions that a process pins, without the newest one.
    func oldVersions(of process: UInt32) throws -> Set<UInt64> {
        let statistics = try database.statistics()
        let pins = statistics.pinnedVersions.filter { $0.processID == process }
        return Set(pins.map(\.version)).subtracting([statistics.newestVersion])
    }

    /// Waits until a process pins no version but the newest.
    func waitUntilNewest(of process: UInt32) throws {
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "a version that nobody observes any more is not released"
        ) { try oldVersions(of: process).isEmpty }
    }

    /// Waits until a process, which may have died, pins nothing.
    func waitUntilReleased(by process: UInt32) throws {
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "a version that process \(process) has pinned is not released"
        ) {
            let pins = try database.statistics().pinnedVersions
            return !pins.contains { $0.processID == process }
        }
    }

    /// Waits until a process pins at most `most` versions that are not the newest.
    func wait(for most: Int, of process: UInt32) throws {
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "a process with a slow observer pins more than \(most) old versions"
        ) { try oldVersions(of: process).count <= most }
    }
}
