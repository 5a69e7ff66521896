import StorageEngine
import StressModel

extension Database {
    /// Where nobody but this process is alive to read anything.
    func checkNobodyElsePins() throws {
        let pins = try statistics().pinnedVersions
        if let pin = pins.first(where: { $0.processID != System.processID }) {
            throw Finding(
                .overLimit,
                "version \(pin.version) is pinned by process \(pin.processID), which is dead.")
        }
    }
}
