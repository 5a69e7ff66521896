import Foundation
import ToolSupport

/// The noise floors of the rows of a suite on one class of machine: how much the medians of two
/// sides of the same build seem to differ. `selftest` writes them and the gate reads them.
struct NoiseFloors: Codable, Equatable, Sendable {
    static let fileName = "noise.json"

    var schemaVersion = RunContext.schemaVersion
    var key: TimedKey
    /// The rows by case identifier.
    var rows: [String: Row]

    struct Row: Codable, Equatable, Sendable {
        /// The 95th percentile of |ratio - 1|, where the ratio is that of the medians of the two
        /// sides.
        var floor: Double
        /// The 95th percentile of the difference of the shares of slow intervals, without its sign;
        /// nil if they were not measured.
        var tailFloor: Double?
        /// The smallest number of processes on each side for which the floor holds.
        var runs: Int
        /// The `CaseOptions.fingerprint` of the case that was measured.
        var options: String
    }

    /// Whether the gate may judge a row by its time.
    enum Gating: Equatable, Sendable {
        case gated(floor: Double)
        /// The row is not gated; `reason` completes a sentence that begins with the row.
        case refused(reason: String)

        var floor: Double? {
            if case .gated(let floor) = self { floor } else { nil }
        }

        var reason: String? {
            if case .refused(let reason) = self { reason } else { nil }
        }
    }

    /// Returns the noise floors of the shares of slow intervals, of the cases that are gated by
    /// them. They hold for the same work and as many processes, as those of times do.
    func tailFloors(of cases: [BenchmarkCase], by policy: TimedPolicy) -> [String: Double] {
        let found = cases.compactMap { benchmarkCase -> (String, Double)? in
            let name = benchmarkCase.identifier.description
            guard let row = rows[name], let floor = row.tailFloor,
                row.options == benchmarkCase.options.fingerprint, policy.runs >= row.runs,
                TailPolicy().qualifies(noiseFloor: floor)
            else { return nil }
            return (name, floor)
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Decides whether a case is gated by its time. A floor holds only for the same work and for
    /// medians of at least as many processes.
    func gating(of benchmarkCase: BenchmarkCase, by policy: TimedPolicy) -> Gating {
        guard let row = rows[benchmarkCase.identifier.description] else {
            return .refused(reason: "has no stored noise floor")
        }
        let options = benchmarkCase.options.fingerprint
        guard row.options == options else {
            return .refused(
                reason: "has a noise floor of other work (\(row.options); now \(options))")
        }
        guard policy.runs >= row.runs else {
            return .refused(
                reason: "has a noise floor for \(row.runs) processes of each side, more than "
                    + "\(policy.runs)")
        }
        guard policy.qualifies(noiseFloor: row.floor) else {
            return .refused(
                reason: "has a noise floor of \(Percent.plain(row.floor)), above "
                    + Percent.plain(policy.largestNoiseFloor))
        }
        return .gated(floor: row.floor)
    }
}

extension CaseOptions {
    /// All options that are set, as `name=value`, sorted by name.
    var fingerprint: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { preconditionFailure("Options are numbers and text.") }
        return object.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            .joined(separator: " ")
    }
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

    /// Adds `rows` to the stored floors of the machine class and replaces those of the same cases.
    /// A file of an older schema is overwritten, not converted. Returns the path of the file.
    func merge(_ rows: [String: NoiseFloors.Row], for key: TimedKey) throws -> String {
        var noise = (try? noiseFloors(for: key)) ?? NoiseFloors(key: key, rows: [:])
        noise.rows.merge(rows) { $1 }
        return try save(noise)
    }

    /// Returns the stored floors. Throws `noBaseline` if there are none for the machine class.
    func noiseFloors(for key: TimedKey) throws -> NoiseFloors {
        let file = noiseFile(key)
        guard FileManager.default.fileExists(atPath: file) else {
            throw BenchmarkError(
                .noBaseline,
                "No noise floors are stored for (\(key)), so no row can be gated by time. "
                    + "Measure them: \(ToolProgram.current.name) selftest")
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
