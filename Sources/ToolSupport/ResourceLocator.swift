import Foundation

/// The search for the package folder, which contains `Benchmarks`: in the working directory or a
/// parent of it, else in a parent of the executable, whose build folder is inside the package. The
/// tool thus runs from any directory.
public enum ResourceLocator {
    public static func packageDirectory() throws -> URL {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let working = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        for start in [working, executable] {
            var folder = start
            while true {
                let suites = folder.appendingPathComponent("Benchmarks/Suites").path
                if FileManager.default.fileExists(atPath: suites) { return folder }
                if folder.path == "/" { break }
                folder = folder.deletingLastPathComponent()
            }
        }
        throw BenchmarkError(
            .internalError,
            "The folder Benchmarks/Suites was not found above \(working.path) or above the "
                + "executable. Run realm-bench inside the package, or name a suite file by path.")
    }

    package static func suitesDirectory() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Suites")
    }

    package static func recording() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Data/air-quality.csv")
    }
}
