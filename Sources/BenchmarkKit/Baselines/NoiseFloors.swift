import Foundation

/// How much the rows of a suite seem to differ between two halves of the same build, on one machine
/// class. `selftest` writes them, the gate reads them.
struct NoiseFloors: Codable, Equatable, Sendable {
    static let fileName = "noise.json"

    var schemaVersion = RunContext.schemaVersion
    var key: TimedKey
    var suite: String
    /// The number of processes of each side that the floors hold for.
    var runs: Int
    /// By case id: the 95th percentile of |ratio - 1| of the medians of two sides.
    var floors: [String: Double]
}

extension BaselineStore {
    private func noiseFile(_ key: TimedKey) -> String {
        "\(path)/\(key.folderName)/\(NoiseFloors.fileName)"
    }

    func save(_ noise: NoiseFloors) throws -> String {
        let file = noiseFile(noise.key)
        try JSONFile.write(noise, to: file)
        return file
    }

    /// Throws `noBaseline` if nothing is stored for the machine class.
    func noiseFloors(for key: TimedKey) throws -> NoiseFloors {
        let file = noiseFile(key)
        guard FileManager.default.fileExists(atPath: file) else {
            throw BenchmarkError(
                .noBaseline,
                "No noise floors are stored for (\(key)), so no row can be gated by time. "
                    + "Measure them: realm-bench selftest")
        }
        struct Version: Decodable { var schemaVersion: Int }
        try SchemaVersion.check(JSONFile.read(Version.self, from: file).schemaVersion, in: file)
        let noise = try JSONFile.read(NoiseFloors.self, from: file)
        guard noise.key == key else {
            throw BenchmarkError(
                .notComparable,
                "The noise floors in '\(file)' are of (\(noise.key)); this is (\(key)).")
        }
        return noise
    }
}
