import Foundation
import ToolSupport

/// The count of the instructions of a case's measured region (`MeasuredRegion`) with callgrind. It
/// takes a process of its own and less work, since callgrind slows a program down about fiftyfold.
///
/// The count contains the instructions of the simulated processor outside the kernel. It repeats
/// from run to run, whatever the load of the machine, and says nothing about caches and disks.
enum InstructionCount {
    /// The function of CMeasurement that every measured region passes through.
    static let region = "realm_bench_measured_region"

    /// The number of operations if the command line sets none; workloads with long operations have
    /// their own number.
    static let operations = 10_000
    /// The number of operations where these are the objects of the case, as in bulk inserts: twenty
    /// transactions of the default size.
    static let bulkOperations = 20_000
    /// The largest number of objects in a case while instructions are counted.
    static let mostObjects = 100_000

    /// Throws, with instructions for installing them, unless all required tools are installed.
    static func checkTools() throws {
        for name in ["valgrind", "strip"] { _ = try tool(name) }
    }

    /// Returns the path of a program in `PATH`.
    static func tool(
        _ name: String, searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
    ) throws -> String {
        guard let found = found(name, searching: path) else {
            throw BenchmarkError(
                .internalError,
                "Counting instructions takes '\(name)', which was not found in PATH. Install "
                    + "valgrind and binutils (on Debian and Ubuntu: apt-get install valgrind "
                    + "binutils; scripts/bench --instructions does that), or leave out "
                    + "--instructions.")
        }
        return found
    }

    /// Returns the path of a program in `path`; nil if there is none.
    static func found(_ name: String, searching path: String) -> String? {
        path.split(separator: ":").map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile)
    }

    /// Copies this program without its debug information but with its function names. Swift writes
    /// DWARF 5, which valgrind cannot read up to version 3.19 at least.
    static func copyProgram(to path: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try tool("strip"))
        process.arguments = ["--strip-debug", "-o", path, CaseProcess.ownExecutable.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                .internalError,
                "strip could not copy the program to '\(path)'; it ended with exit code "
                    + "\(process.terminationStatus).")
        }
    }

    /// Returns the command that runs `program` in callgrind and writes `file`.
    static func command(counting program: String, into file: String) throws -> [String] {
        [
            try tool("valgrind"), "--tool=callgrind", "--quiet", "--collect-atstart=no",
            "--toggle-collect=\(region)", "--callgrind-out-file=\(file)", program,
        ]
    }

    /// Returns the instruction count in a callgrind output file.
    static func total(in file: String) throws -> UInt64 {
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw BenchmarkError(
                .internalError,
                "callgrind left no file '\(file)': \((error as NSError).localizedDescription)")
        }
        // The events are `Ir` only; with other events the total would be the first of several
        // numbers.
        let totals = text.split(separator: "\n").last { $0.hasPrefix("totals: ") }
        guard let total = totals.flatMap({ UInt64($0.dropFirst("totals: ".count)) }) else {
            throw BenchmarkError(
                .internalError, "The file '\(file)' of callgrind has no line 'totals: NUMBER'.")
        }
        guard total > 0 else {
            throw BenchmarkError(
                .internalError,
                "callgrind counted nothing: the workload ran no measured region, or the program "
                    + "was stripped of the symbol \(region).")
        }
        return total
    }
}
