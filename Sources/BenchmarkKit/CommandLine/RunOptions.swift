import ArgumentParser

/// The options of `run` that change what a case does.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long each strategy of sensors and commit is measured.",
            discussion: "The other workloads work by count.", valueName: "seconds"))
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
            "Readings or objects in one transaction, for batched and insert.",
            valueName: "number"))
    var batchSize: Int?

    @Option(
        help: ArgumentHelp(
            "Threads that produce readings; with current, each writes by itself.",
            valueName: "number"))
    var threads: Int?

    @Option(
        help: ArgumentHelp("Random bytes added to each reading.", valueName: "bytes"))
    var payload: Int?

    @Option(
        help: ArgumentHelp("Seed of all random values.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Seconds of sensors before measuring begins.", valueName: "seconds"))
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
        if let problem = overrides.applied(to: CaseOptions()).problem {
            throw ValidationError("--\(problem.option) \(problem.reason)")
        }
    }

    var overrides: OptionOverrides {
        OptionOverrides(
            seconds: seconds, count: count, sensors: sensors, batchSize: batchSize,
            threads: threads, payload: payload, seed: seed, warmup: warmup, input: input)
    }
}
