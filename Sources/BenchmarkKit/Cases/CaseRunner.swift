import Foundation
import ToolSupport

/// A runner of cases, one after the other and each in a process of its own. Every result is
/// verified by a fresh process before it counts.
struct CaseRunner {
    private let folder: WorkFolder
    /// The folder for the errors of failed cases.
    let failures: String
    /// What killed runs had left at the same place, which is removed.
    let removed: WorkFolder.Removed
    /// What `selftest` adds to what the cases cost.
    var planted: Plant?

    /// A planted cost.
    struct Plant {
        var cost: PlantedCost
        /// The instructions of an operation without it, by the id of the case.
        var instructions: [String: Double] = [:]
    }

    /// The folder for database files, with one folder for each case that is removed after the case.
    var databases: String { folder.path }
    private var fixtures: String { databases + "/fixtures" }

    private static let prefix = "databases-"

    /// Makes the folder for the databases of a run.
    ///
    /// - Parameters:
    ///   - place: The folder that gets it; nil means the folder of the run.
    ///   - run: The folder of the run, beside which those of earlier runs lie.
    init(databasesBelow place: String?, of run: RunFolderWriter) throws {
        failures = run.path + "/failures"
        let runs = URL(fileURLWithPath: run.path).deletingLastPathComponent().path
        var removed = WorkFolder.Removed()
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: runs)) ?? []
        for folder in siblings.map({ runs + "/" + $0 }) + [place].compactMap(\.self) {
            removed += WorkFolder.removeAbandoned(below: folder, prefix: Self.prefix)
        }
        self.removed = removed
        folder = try WorkFolder(
            below: place ?? run.path, prefix: Self.prefix, identifier: run.context.runIdentifier)
        do { try FolderFiles.make(databases + "/fixtures") } catch {
            folder.remove()
            throw error
        }
    }

    func removeDatabases() { folder.remove() }

    /// Runs a case and returns its rows. A failed case gives one row with the status `failed`.
    func run(_ benchmarkCase: BenchmarkCase, progress: (ProgressUpdate) -> Void) throws
        -> CaseOutcome
    {
        if let reason = benchmarkCase.unsupported {
            return CaseOutcome(results: [.unsupported(benchmarkCase, reason)])
        }
        let directory = databases + "/" + benchmarkCase.fileName
        try? FileManager.default.removeItem(atPath: directory)
        try FolderFiles.make(fixtures)
        try FolderFiles.make(directory)
        var said: String?
        let outcome: CaseOutcome
        do {
            defer { try? FileManager.default.removeItem(atPath: directory) }
            outcome = try run(benchmarkCase, in: directory, &said, progress)
        } catch {
            let text = "\(error)"
            guard FullDisk.isNamed(in: text), text.contains(databases) else { throw error }
            throw FullDisk(of: databases).error
        }
        // Once its files have made room: what a case said may have to be kept on the disk that was
        // full.
        if let said {
            do { try keep(said, benchmarkCase.fileName) } catch {
                throw outcome.fullDisk?.error ?? error
            }
        }
        return outcome
    }

    /// - Parameter said: Gets what is to be kept of a case that failed.
    private func run(
        _ benchmarkCase: BenchmarkCase, in directory: String, _ said: inout String?,
        _ progress: (ProgressUpdate) -> Void
    ) throws -> CaseOutcome {
        let command =
            try benchmarkCase.usesSystemAllocator()
            ? [SystemAllocatorProgram.path()] : nil
        let load = MachineLoad()
        let workload = try WorkloadCatalogue.workload(named: benchmarkCase.identifier.workload)
        for mode in workload.preparation != nil ? [CaseRequest.Mode.prepare, .run] : [.run] {
            let ending = try perform(
                mode, benchmarkCase, directory, command: command, progress)
            try Interruption.throwIfRequested()
            guard ending.isSuccess else {
                said = ending.errors
                return CaseOutcome(
                    results: [.failed(benchmarkCase, ending.reason)], fullDisk: disk(of: ending))
            }
        }
        let otherLoad = load.otherCores()
        var outcome = try JSONMessage.read(
            CaseOutcome.self, from: directory + "/" + CaseRequest.outcomeFileName)
        outcome.results[0].measure("other_load_cores", otherLoad)
        try verify(&outcome, of: benchmarkCase, in: directory, &said)
        return outcome
    }

    /// Runs one phase of a case in a process; `command` as in `CaseProcess`.
    func perform(
        _ mode: CaseRequest.Mode, _ benchmarkCase: BenchmarkCase, _ directory: String,
        command: [String]? = nil, recording: CaseRequest.Recording? = nil,
        _ progress: (ProgressUpdate) -> Void
    ) throws -> CaseProcess.Ending {
        let request = directory + "/" + CaseRequest.fileName
        try JSONMessage.write(
            CaseRequest(
                mode: mode, benchmarkCase: benchmarkCase, directory: directory,
                fixtures: fixtures, models: ModelWorkloads.all, recording: recording),
            to: request)
        var environment = benchmarkCase.processEnvironment
        environment[PlantedCost.variable] = planted.map {
            $0.cost.value(instructions: $0.instructions[benchmarkCase.name])
        }
        let process = try CaseProcess(
            verb: CaseVerb.run, argument: request, environment: environment, command: command)
        let decoder = JSONDecoder()
        return process.wait { line in
            if let update = try? decoder.decode(ProgressUpdate.self, from: Data(line.utf8)) {
                progress(update)
            }
        }
    }

    /// Marks the result as failed unless a fresh process verifies it.
    private func verify(
        _ outcome: inout CaseOutcome, of benchmarkCase: BenchmarkCase, in directory: String,
        _ said: inout String?
    ) throws {
        guard let verification = outcome.verification else { return }
        let start = monotonicNanoseconds()
        let file = directory + "/" + CaseRequest.verificationFileName
        try JSONMessage.write(verification, to: file)
        let process = try CaseProcess(
            verb: CaseVerb.verify, argument: file,
            environment: benchmarkCase.processEnvironment)
        var problems: [String] = []
        let ending = process.wait { problems.append($0) }
        try Interruption.throwIfRequested()
        outcome.results[0].measure(
            "verification_s", seconds(from: start, to: monotonicNanoseconds()))
        guard !ending.isSuccess else { return }
        said = problems.joined(separator: "\n") + "\n" + ending.errors
        outcome.fullDisk = disk(of: ending)
        outcome.results[0].status = .failed
        outcome.results[0].failure = "The proof failed: \(problems.first ?? ending.reason)"
    }

    private func disk(of ending: CaseProcess.Ending) -> FullDisk? {
        ending.saysDiskIsFull ? FullDisk(of: databases) : nil
    }

    private func keep(_ text: String, _ name: String) throws {
        try FolderFiles.make(failures)
        try TextFile.write(text, replacing: "\(failures)/\(name).txt")
    }
}
