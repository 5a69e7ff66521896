import Foundation
import ToolSupport

/// A run read from its folder `results/<run>`.
struct RunFolder {
    /// The fields of `run.json` that comparisons need.
    struct Header: Decodable {
        struct Machine: Decodable {
            var processor: String?
            var cores: Int
            var architecture: String
            var pageSizeBytes: Int
            var fileSystem: String?
        }

        struct Toolchain: Decodable { var swift, configuration: String }

        var schemaVersion: Int
        var runId: String
        var suite: String
        var gitRevision: String?
        var machine: Machine
        var toolchain: Toolchain
    }

    var header: Header
    var rows: [MetricRow]

    var key: TimedKey {
        TimedKey(
            counted: CountedKey(
                architecture: header.machine.architecture,
                pageSizeBytes: header.machine.pageSizeBytes, swift: header.toolchain.swift,
                configuration: header.toolchain.configuration),
            processor: header.machine.processor ?? "unknown processor",
            cores: header.machine.cores,
            fileSystem: MachineKeyName.fileSystemType(header.machine.fileSystem))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/run.json")
    }

    /// Reads a run. Throws `usage` if the folder holds none, and `notComparable` if its schema
    /// version is another one.
    static func load(_ path: String) throws -> RunFolder {
        let file = path + "/run.json"
        guard let data = FileManager.default.contents(atPath: file) else {
            throw BenchmarkError(
                .usage, "'\(path)' is not the folder of a run: it has no readable run.json.")
        }
        try checkVersion(data, file)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let header: Header
        do { header = try decoder.decode(Header.self, from: data) } catch {
            throw BenchmarkError(.usage, "'\(file)' is not the report of a run: \(error)")
        }
        return RunFolder(header: header, rows: try rows(path))
    }

    /// Checks the schema version before anything else, so that a report of another version is not
    /// called malformed.
    private static func checkVersion(_ data: Data, _ file: String) throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        struct Version: Decodable { var schema_version: Int }
        guard let version = try? JSONDecoder().decode(Version.self, from: data) else {
            throw BenchmarkError(.usage, "'\(file)' has no schema_version.")
        }
        try SchemaVersion.check(version.schema_version, in: file)
    }

    private static func rows(_ path: String) throws -> [MetricRow] {
        var measures: [String: [String: Double]] = [:]
        for record in try records(path + "/measures.csv", isRequired: false) {
            guard let name = record["measure"], let id = key(record) else { continue }
            measures[id, default: [:]][name] = record["value"].flatMap { Double($0) }
        }
        var samples: [String: [Double]] = [:]
        for record in try records(path + "/samples.csv", isRequired: false) {
            guard let id = key(record),
                let rate = record["throughput_ops_per_s"].flatMap({ Double($0) })
            else { continue }
            samples[id, default: []].append(rate)
        }
        return try records(path + "/summary.csv", isRequired: true).map { record in
            let version = record["schema_version"].flatMap { Int($0) } ?? 0
            try SchemaVersion.check(version, in: path + "/summary.csv")
            let id = key(record) ?? ""
            var row = try MetricRow(fields: record, measures: measures[id] ?? [:])
            if let rates = samples[id], rates.count > 1 { row.throughputSamples = rates }
            return row
        }
    }

    /// Returns the key of a record. The points of a sweep share their case identifier, so the key
    /// contains both.
    private static func key(_ record: [String: String]) -> String? {
        record["case_id"].map { $0 + " " + (record["sweep"] ?? "") }
    }

    /// Reads the records of a CSV file as dictionaries by column name.
    static func records(_ path: String, isRequired: Bool) throws -> [[String: String]] {
        guard let data = FileManager.default.contents(atPath: path) else {
            if !isRequired { return [] }
            throw BenchmarkError(.usage, "'\(path)' cannot be read.")
        }
        let records: [CSV.Record]
        do { records = try CSV.parse(String(decoding: data, as: UTF8.self)) } catch {
            throw BenchmarkError(.usage, "\(path):\(error.line): \(error.message).")
        }
        guard let header = records.first?.fields else {
            throw BenchmarkError(.usage, "'\(path)' is empty.")
        }
        return try records.dropFirst().map { record in
            guard record.fields.count == header.count else {
                throw BenchmarkError(
                    .usage,
                    "\(path):\(record.line): \(record.fields.count) fields under "
                        + "\(header.count) columns.")
            }
            return Dictionary(zip(header, record.fields)) { first, _ in first }
        }
    }
}

enum SchemaVersion {
    static func check(_ version: Int, in file: String) throws {
        let own = RunContext.schemaVersion
        guard version != own else { return }
        let advice =
            version < own
            ? "Run the cases again with this build."
            : "Read it with the build that wrote it, or a newer one."
        throw BenchmarkError(
            .notComparable,
            "'\(file)' has the layout of schema version \(version), this build that of "
                + "\(own). \(advice)")
    }
}
