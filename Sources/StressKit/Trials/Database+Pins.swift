import StorageEngine
import StressModel

extension Database {
    /// Checks that no other process pins a version. Call it only while no other process is alive.
    func checkNobodyElsePins() throws {
        let pins = try statistics().pinnedVersions
        if let pin = pins.first(where: { $0.processID != System.processID }) {
            throw Finding(
                .overLimit,
                "version \(pin.version) is pinned by process \(pin.processID), which is dead.")
        }
    }
}
