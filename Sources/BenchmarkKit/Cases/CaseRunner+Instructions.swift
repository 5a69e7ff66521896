import Foundation

extension CaseRunner {
    /// Returns the instructions of one operation of a case, counted in a process of its own;
    /// `count` is the number of operations from the command line. Nil for a case that does not
    /// repeat: several writers, relaxed durability, or an amount of work that depends on time.
    ///
    /// The reduced case runs twice: first without a tool, which creates the fixtures, then under
    /// callgrind. Both runs must give the same result. The output file of callgrind is kept in
    /// `folder`.
    func countInstructions(
        of benchmarkCase: BenchmarkCase, count: Int?, keepingIn folder: String,
        progress: (ProgressUpdate) -> Void
    ) throws -> Double? {
        guard let reduced = try InstructionCount.reduced(benchmarkCase, count: count),
            reduced.isDeterministic
        else { return nil }
        try Self.makeDirectory(folder)
        let program = databases + "/realm-bench"
        if !FileManager.default.fileExists(atPath: program) {
            try InstructionCount.copyProgram(to: program)
        }
        let file = "\(folder)/\(benchmarkCase.fileName).out"
        progress(ProgressUpdate(phase: "counting instructions"))
        let plain = try result(of: reduced, command: nil)
        let counted = try result(
            of: reduced, command: InstructionCount.command(counting: program, into: file))
        guard plain.digest == counted.digest, plain.operations == counted.operations,
            counted.operations > 0
        else {
            throw BenchmarkError(
                .caseFailed,
                "Instructions of \(benchmarkCase.identifier) were not counted: under callgrind the "
                    + "case came to another result (digest \(counted.digest ?? "none"), "
                    + "\(counted.operations) operations) than by itself "
                    + "(\(plain.digest ?? "none"), \(plain.operations)).")
        }
        return try Double(InstructionCount.total(in: file)) / Double(counted.operations)
    }

    /// Runs a case in a process of `command` and returns its first row. The row is not verified by
    /// another process, since the case's own run was.
    private func result(of benchmarkCase: BenchmarkCase, command: [String]?) throws
        -> CaseResult
    {
        let directory = databases + "/" + benchmarkCase.fileName + "-instructions"
        try? FileManager.default.removeItem(atPath: directory)
        try Self.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let workload = try WorkloadCatalogue.workload(named: benchmarkCase.identifier.workload)
        for mode in workload.isPreparedApart ? [CaseRequest.Mode.prepare, .run] : [.run] {
            let ending = try perform(
                mode, benchmarkCase, directory, command: mode == .run ? command : nil
            ) { _ in }
            try Interruption.throwIfRequested()
            guard ending.isSuccess else {
                throw BenchmarkError(
                    .caseFailed,
                    "Instructions of \(benchmarkCase.identifier) were not counted: the process "
                        + ending.reason)
            }
        }
        return try Self.read(
            CaseOutcome.self, from: directory + "/" + CaseRequest.outcomeFileName
        ).results[0]
    }
}
