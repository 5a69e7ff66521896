import Foundation

/// Finds the `Benchmarks` folder: from the working directory upwards, else from the executable
/// upwards (a build folder lies inside the package), so that the tool runs from anywhere.
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

    public static func suitesDirectory() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Suites")
    }

    public static func recording() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Data/air-quality.csv")
    }
}
