import Foundation

/// The search for the package folder, which contains ``ToolProgram/landmark``: in the working
/// directory or a parent of it, else in a parent of the executable, whose build folder is inside
/// the package. The tool thus runs from any directory.
public enum ResourceLocator {
    public static func packageDirectory() throws -> URL {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = ToolProgram.current
        let working = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        for start in [working, executable] {
            var folder = start
            while true {
                let landmark = folder.appendingPathComponent(program.landmark).path
                if FileManager.default.fileExists(atPath: landmark) { return folder }
                if folder.path == "/" { break }
                folder = folder.deletingLastPathComponent()
            }
        }
        throw BenchmarkError(
            .internalError,
            "\(program.landmark) was not found above \(working.path) or above the executable. Run "
                + "\(program.name) inside its package, or name files by path.")
    }

    package static func suitesDirectory() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Suites")
    }

    package static func recording() throws -> URL {
        try packageDirectory().appendingPathComponent("Benchmarks/Data/air-quality.csv")
    }
}
