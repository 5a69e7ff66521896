import CDuckDB
import Foundation
import Glibc
import ToolSupport

/// The shared library of DuckDB, which `scripts/bench --peers` installs as a package of Python in
/// `Benchmarks/Peers/.venv`. It has DuckDB's C interface beside that for Python.
enum DuckDBLibrary {
    /// The functions, loaded at the first use; what is missing, if something is.
    static let loaded: Result<duckdb_functions, BenchmarkError> = load()

    private static func load() -> Result<duckdb_functions, BenchmarkError> {
        guard let library = find() else {
            return .failure(missing("it is not in Benchmarks/Peers/.venv"))
        }
        var functions = duckdb_functions()
        if let problem = duckdb_load(library.python, library.path, &functions) {
            return .failure(missing(String(cString: problem)))
        }
        return .success(functions)
    }

    private static func missing(_ reason: String) -> BenchmarkError {
        BenchmarkError(
            .usage, "DuckDB is left out (\(reason)). 'scripts/bench --peers' installs it.")
    }

    /// Returns the path of the library, and the name of the one of the Python that it belongs to.
    private static func find() -> (path: String, python: String)? {
        guard let package = try? ResourceLocator.packageDirectory() else { return nil }
        let root = package.appendingPathComponent("Benchmarks/Peers/.venv/lib").path
        let manager = FileManager.default
        for version in (try? manager.contentsOfDirectory(atPath: root)) ?? [] {
            let folder = "\(root)/\(version)/site-packages"
            let names = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
            guard let name = names.first(where: { $0.hasPrefix("_duckdb.") }) else { continue }
            return ("\(folder)/\(name)", "lib\(version).so.1.0")
        }
        return nil
    }
}
