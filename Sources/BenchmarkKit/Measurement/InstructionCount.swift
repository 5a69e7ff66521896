import Foundation

/// Counts the instructions of a case's measured region (`MeasuredRegion`) with callgrind, in a
/// process of its own and with less work, for a program runs about fifty times slower in it.
///
/// What is counted is what the processor of the simulation executes outside the kernel: it repeats
/// from run to run, whatever else the machine does, and says nothing about caches or disks.
enum InstructionCount {
    /// The function of CMeasurement that every measured region passes through.
    static let region = "realm_bench_measured_region"

    /// Operations of a case when the command line gives no count; workloads with long operations
    /// have their own number.
    static let operations = 10_000
    /// The same where the operations are the objects of the case, as in bulk inserts: twenty
    /// transactions of the usual size.
    static let bulkOperations = 20_000
    /// The most objects that a case works on meanwhile.
    static let mostObjects = 100_000

    // MARK: The case

    /// The case with as little work as a count of instructions needs; `count` is that of the
    /// command line. Nil where the engine has no such case, or its instructions do not repeat.
    static func reduced(_ benchmarkCase: BenchmarkCase, count: Int?) throws -> BenchmarkCase? {
        let identifier = benchmarkCase.identifier
        let workload = try WorkloadCatalogue.workload(named: identifier.workload)
        guard let operations = workload.countedOperations else { return nil }
        let size = min(identifier.size, mostObjects)
        var options = benchmarkCase.options
        options.count = mostObjects
        let isBulk = try workload.size(for: options, asked: 1) == mostObjects
        options.count = count ?? (isBulk ? bulkOperations : operations)
        return try WorkloadCatalogue.makeCase(
            workload: identifier.workload, strategy: identifier.strategy,
            engine: identifier.engine, durability: identifier.durability,
            isEncrypted: identifier.isEncrypted, size: size, options: options)
    }

    // MARK: Valgrind

    /// Throws, with what to do, unless everything is installed that counting takes.
    static func checkTools() throws {
        for name in ["valgrind", "strip"] { _ = try tool(name) }
    }

    /// The path of a program, looked for in `PATH`.
    static func tool(
        _ name: String, searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
    ) throws -> String {
        let candidates = path.split(separator: ":").map { "\($0)/\(name)" }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw BenchmarkError(
                .internalError,
                "Counting instructions takes '\(name)', which was not found in PATH. Install "
                    + "valgrind and binutils (on Debian and Ubuntu: apt-get install valgrind "
                    + "binutils; scripts/bench --instructions does that), or leave out "
                    + "--instructions.")
        }
        return found
    }

    /// Copies this program without its debug information, which valgrind up to 3.19 at least gives
    /// up on: Swift writes DWARF 5. The names of functions stay.
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

    /// Runs `program` in callgrind, which writes `file`.
    static func command(counting program: String, into file: String) throws -> [String] {
        [
            try tool("valgrind"), "--tool=callgrind", "--quiet", "--collect-atstart=no",
            "--toggle-collect=\(region)", "--callgrind-out-file=\(file)", program,
        ]
    }

    /// The instructions that a file of callgrind tells of.
    static func total(in file: String) throws -> UInt64 {
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw BenchmarkError(
                .internalError,
                "callgrind left no file '\(file)': \((error as NSError).localizedDescription)")
        }
        // `events: Ir` alone; with other events the total would be the first of several numbers.
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
