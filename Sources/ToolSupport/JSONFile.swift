import Foundation

/// The format of JSON files: sorted snake_case keys, which keep diffs readable.
package enum JSONFile {
    package static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let url = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (encoder.encode(value) + Data("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be written: \(error.fileProblem)")
        }
    }

    package static func read<Value: Decodable>(
        _ type: Value.Type, from path: String
    ) throws -> Value {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw BenchmarkError(
                .usage, "'\(path)' cannot be read: \(error.fileProblem)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do { return try decoder.decode(type, from: data) } catch {
            throw BenchmarkError(
                .internalError, "'\(path)' is damaged: \(DecodingProblem.text(of: error)).")
        }
    }
}

/// The format of JSON that one process of the tool leaves for another.
package enum JSONMessage {
    package static func write(_ value: some Encodable, to path: String) throws {
        do {
            try JSONEncoder().encode(value).write(to: URL(fileURLWithPath: path))
        } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be written: "
                    + "\(error.fileProblem)")
        }
    }

    package static func read<Value: Decodable>(
        _ type: Value.Type, from path: String
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(
                type, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be read: "
                    + "\(error.fileProblem)")
        }
    }
}
