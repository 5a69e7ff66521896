import ArgumentParser
import ToolSupport

/// The options of `run` that change the work of a case.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            OwnWorkloads.all == nil
                ? "Databases, interleaved: realm; with realm-bench-peers also "
                    + PeerDescription.all.map(\.name).joined(separator: ", ") + "."
                : "The database: realm.",
            valueName: "a,b"), transform: { try Self.engines($0) })
    var engine: [String]?

    @Option(
        help: ArgumentHelp(
            "What a commit survives: full, relaxed, unsynced, memory.", valueName: "a,b"),
        transform: { try Self.durabilities($0) })
    var durability: [Durability]?

    @Flag(help: "Encrypt the files.")
    var encrypt = false

    @Option(
        help: ArgumentHelp(
            "Repeat the cases with each of these values of an option.",
            discussion: "Options: \(Sweep.names.joined(separator: ", ")). Several sweeps multiply. "
                + "The column sweep of the rows tells which value they had.",
            valueName: "NAME=a,b"), transform: { try Self.usage { try Sweep($0) }($0) })
    var sweep: [Sweep] = []

    @Option(
        help: ArgumentHelp(
            "How long a case is measured.",
            discussion: Self.takers(of: .seconds) + "; the others work by count.",
            valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "How many operations instead of how long: readings, commits, objects inserted, reads.",
            discussion: "Cases by count have a digest of their result.", valueName: "number"))
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "Number of sensors; above those of the recording, stations repeat with a suffix.",
            valueName: "number"))
    var sensors: Int?

    @Option(
        help: ArgumentHelp(
            "Readings or objects in one transaction.",
            discussion: Self.takers(of: .batchSize) + ".",
            valueName: "number"))
    var batchSize: Int?

    @Option(
        help: ArgumentHelp(
            "Threads that work at once; those of sensors produce readings.",
            discussion: Self.takers(of: .threads) + ".", valueName: "number"))
    var threads: Int?

    @Option(
        help: ArgumentHelp("Random bytes added to each reading.", valueName: "bytes"))
    var payload: Int?

    @Option(
        help: ArgumentHelp(
            "Operations a second that begin, whether or not the ones before are done.",
            discussion: "An open loop: latencies count from when an operation was due "
                + "(intended_p99_us), so that a stall counts for all that it delays. "
                + Self.takers(of: .rate) + ".", valueName: "number"))
    var rate: Double?

    @Option(
        help: ArgumentHelp("Handlers that each commit of notify calls.", valueName: "number"))
    var observers: Int?

    @Option(
        help: ArgumentHelp("Objects that each commit of notify changes.", valueName: "number"))
    var changes: Int?

    @Option(
        help: ArgumentHelp("Seed of all random values.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Seconds before measuring begins.", discussion: Self.takers(of: .warmup) + ".",
            valueName: "seconds"))
    var warmup: Double?

    @Option(
        help: ArgumentHelp(
            "The readings: a CSV file, or 'synthetic' for seeded random values.",
            discussion: "Columns of the file: city,location,date,parameter,value; dates as "
                + "YYYY-MM-DD HH:MM:SS in UTC. The default is the recording that comes with the "
                + "package.", valueName: "file"))
    var input: String?

    @Flag(
        help: ArgumentHelp(
            "Count the instructions of deterministic cases, with valgrind.",
            discussion: "Each runs once more, about fifty times slower and with less work: with at "
                + "most \(InstructionCount.mostObjects) objects and, unless --count is given, "
                + "\(InstructionCount.operations) operations (bulk inserts: "
                + "\(InstructionCount.bulkOperations)). All other columns are those of the usual "
                + "run."))
    var instructions = false

    func validate() throws {
        if seconds != nil, count != nil {
            throw ValidationError("--seconds and --count exclude each other.")
        }
        try checkSweeps()
        if let problem = overrides.applied(to: CaseOptions()).problem {
            throw ValidationError("--\(problem.option) \(problem.reason)")
        }
    }

    var overrides: OptionOverrides {
        OptionOverrides(
            engines: engine, durabilities: durability, isEncrypted: encrypt,
            seconds: seconds, count: count, sensors: sensors, batchSize: batchSize,
            threads: threads, payload: payload, rate: rate, observers: observers, changes: changes,
            seed: seed,
            warmup: warmup, input: input, sweeps: sweep)
    }

    /// Throws if an option is set and also swept, or swept more than once.
    private func checkSweeps() throws {
        let fixed: [(name: String, isGiven: Bool)] = [
            ("engine", engine != nil), ("durability", durability != nil),
            ("seconds", seconds != nil), ("count", count != nil), ("sensors", sensors != nil),
            ("batch-size", batchSize != nil), ("threads", threads != nil),
            ("payload", payload != nil), ("rate", rate != nil), ("observers", observers != nil),
            ("changes", changes != nil), ("seed", seed != nil), ("warmup", warmup != nil),
        ]
        var names = fixed.filter(\.isGiven).map(\.name)
        for name in sweep.map(\.name) {
            if names.contains(name) {
                throw ValidationError("--\(name) is given more than once, one of them by --sweep.")
            }
            names.append(name)
        }
        if names.contains("seconds"), names.contains("count") {
            throw ValidationError("--seconds and --count exclude each other.")
        }
    }

    // MARK: Lists

    /// Returns which workloads take an option.
    private static func takers(of option: CaseOption) -> String {
        let names = WorkloadCatalogue.all.flatMap { workload -> [String] in
            if workload.options.contains(option) { return [workload.name] }
            return workload.strategies.filter { $0.furtherOptions.contains(option) }
                .map { "\(workload.name)/\($0.name)" }
        }
        return names.isEmpty ? "For no workload" : "For " + names.joined(separator: ", ")
    }

    private static func engines(_ text: String) throws -> [String] {
        try usage {
            let names = try commaSeparated($0, option: "engine")
            for name in names { try OptionOverrides.checkEngine(name) }
            return names
        }(text)
    }

    private static func durabilities(_ text: String) throws -> [Durability] {
        try usage {
            try commaSeparated($0, option: "durability").map(OptionOverrides.durability)
        }(text)
    }

    /// Wraps `parse` so that its errors have the type that the argument parser reports.
    private static func usage<Value>(_ parse: @escaping (String) throws -> Value)
        -> (String) throws -> Value
    {
        { text in
            do { return try parse(text) } catch let error as BenchmarkError {
                throw ValidationError(error.message)
            }
        }
    }
}
