import Foundation

/// How much the rows of a suite seem to differ between two halves of the same build, on one machine
/// class. `selftest` writes them, the gate reads them.
struct NoiseFloors: Codable, Equatable, Sendable {
    static let fileName = "noise.json"

    var schemaVersion = RunContext.schemaVersion
    var key: TimedKey
    /// By case id.
    var rows: [String: Row]

    struct Row: Codable, Equatable, Sendable {
        /// The 95th percentile of |ratio - 1| of the medians of two sides.
        var floor: Double
        /// The processes of each side that it holds for, or more.
        var runs: Int
        /// `CaseOptions.fingerprint` of the case that was measured.
        var options: String
    }

    /// Whether a row may be judged by its time.
    enum Gating: Equatable, Sendable {
        case gated(floor: Double)
        /// `reason`: what speaks against it, as the rest of a sentence about the row.
        case refused(reason: String)

        var floor: Double? {
            if case .gated(let floor) = self { floor } else { nil }
        }

        var reason: String? {
            if case .refused(let reason) = self { reason } else { nil }
        }
    }

    /// A floor holds for the same work and for medians of at least as many processes.
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
    /// All options that are set, as `name=value`, in the order of names.
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

    /// Adds `rows` to what is stored for the machine class, each in place of an older one of its
    /// case. A file of an older layout is replaced: nothing is converted. Gives back its path.
    func merge(_ rows: [String: NoiseFloors.Row], for key: TimedKey) throws -> String {
        var noise = (try? noiseFloors(for: key)) ?? NoiseFloors(key: key, rows: [:])
        noise.rows.merge(rows) { $1 }
        return try save(noise)
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
