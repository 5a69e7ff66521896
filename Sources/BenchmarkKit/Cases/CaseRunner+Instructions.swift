import Foundation
import ToolSupport

extension CaseRunner {
    /// Fills in the instructions of a case that succeeded; a case that cannot be counted fails.
    func countInstructions(
        of benchmarkCase: BenchmarkCase, into row: inout CaseResult, count: Int? = nil,
        in directory: RunFolderWriter, progress: (ProgressUpdate) -> Void
    ) throws {
        guard row.status == .ok else { return }
        do {
            row.instructions = try countInstructions(
                of: benchmarkCase, count: count, keepingIn: directory.path + "/callgrind",
                progress: progress)
        } catch let error as BenchmarkError where error.code == .caseFailed {
            row.status = .failed
            row.failure = error.message
        }
    }

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
        try FolderFiles.make(folder)
        let program = try strippedProgram()
        let file = "\(folder)/\(benchmarkCase.fileName).out"
        progress(ProgressUpdate(phase: "counting instructions"))
        var runner = self
        // The reduced case may have another name.
        runner.planted?.instructions[reduced.name] = planted?.instructions[benchmarkCase.name]
        let plain = try runner.repeated(reduced, for: "Instructions were not counted")
        let counted = try runner.repeated(
            reduced, for: "Instructions were not counted",
            command: InstructionCount.command(counting: program, into: file))
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

    /// Returns the copy of this program that valgrind can read.
    func strippedProgram() throws -> String {
        let program = databases + "/realm-bench"
        if !FileManager.default.fileExists(atPath: program) {
            try InstructionCount.copyProgram(to: program)
        }
        return program
    }

    /// Runs a case once more, in a process of `command` or recorded, and returns its first row. The
    /// row is not verified by another process, since the case's own run was.
    ///
    /// - Throws: `caseFailed` with what came to nothing, `failure`, if the case ends early.
    func repeated(
        _ benchmarkCase: BenchmarkCase, for failure: String, command: [String]? = nil,
        recording: CaseRequest.Recording? = nil
    ) throws -> CaseResult {
        let directory = databases + "/" + benchmarkCase.fileName + "-again"
        try? FileManager.default.removeItem(atPath: directory)
        try FolderFiles.make(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let workload = try WorkloadCatalogue.workload(named: benchmarkCase.identifier.workload)
        for mode in workload.preparation != nil ? [CaseRequest.Mode.prepare, .run] : [.run] {
            let ending = try perform(
                mode, benchmarkCase, directory, command: mode == .run ? command : nil,
                recording: mode == .run ? recording : nil
            ) { _ in }
            try Interruption.throwIfRequested()
            guard ending.isSuccess else {
                if ending.saysDiskIsFull { throw FullDisk(of: databases).error }
                throw BenchmarkError(
                    .caseFailed,
                    "\(failure) of \(benchmarkCase.identifier): the process \(ending.reason)")
            }
        }
        return try JSONMessage.read(
            CaseOutcome.self, from: directory + "/" + CaseRequest.outcomeFileName
        ).results[0]
    }
}

extension InstructionCount {
    /// Returns the case with just the work that counting needs; `count` is the number from the
    /// command line. Nil if the engine lacks the case or its instruction counts do not repeat.
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
}
