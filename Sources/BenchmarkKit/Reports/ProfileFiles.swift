import Foundation
import ToolSupport

/// The flame graphs of a run, in its folder `profiles`: of each case a picture, and what the page
/// of the run draws it from.
enum ProfileFiles {
    private static let folder = "profiles"

    /// Writes both files of a case. Returns the path of the picture.
    static func write(_ profile: CaseProfile, of benchmarkCase: BenchmarkCase, in run: String)
        throws -> String
    {
        let graph = FlameGraph(title: benchmarkCase.name, profile: profile)
        try FolderFiles.make("\(run)/\(folder)")
        let file = "\(run)/\(folder)/\(benchmarkCase.fileName)"
        try TextFile.write(graph.file(), replacing: file + ".svg")
        let drawn = try JSONEncoder().encode(graph.drawn)
        try TextFile.write(String(decoding: drawn, as: UTF8.self), replacing: file + ".json")
        return file + ".svg"
    }

    /// Returns the graphs of a run, in the order of its rows.
    ///
    /// - Throws: a usage error if a file is not what ``write(_:of:in:)`` writes.
    static func graphs(of run: RunFolder) throws -> [FlameGraph] {
        try run.rows.compactMap { row in
            let name = row.name.replacing("/", with: "-").replacing(" ", with: "-")
                .replacing(";", with: "-")
            let file = "\(run.path)/\(folder)/\(name).json"
            guard let data = FileManager.default.contents(atPath: file) else { return nil }
            do {
                return FlameGraph(
                    title: row.name, profile: try JSONDecoder().decode(CaseProfile.self, from: data)
                )
            } catch {
                throw BenchmarkError(
                    .usage,
                    "'\(file)' is not what a run writes: \(DecodingProblem.text(of: error)).")
            }
        }
    }
}
