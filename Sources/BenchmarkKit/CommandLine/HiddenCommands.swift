import ArgumentParser
import Foundation
import ToolSupport

/// The hidden command that runs one case in this process; started by `run`.
struct RunCaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CaseVerb.run, shouldDisplay: false)

    @Argument var request: String

    func run() throws {
        ParentDeath.follow()
        let request = try JSONMessage.read(CaseRequest.self, from: request)
        let channel = ProgressChannel()
        let environment = CaseEnvironment(
            directory: request.directory, fixtures: request.fixtures,
            allocations: BenchmarkTool.allocations.withLock { $0 }
        ) { channel.send($0) }
        let benchmarkCase = request.benchmarkCase
        ModelWorkloads.register(request.models)
        let workload = try WorkloadCatalogue.workload(named: benchmarkCase.identifier.workload)
        switch request.mode {
        case .prepare:
            try workload.prepare(benchmarkCase, in: environment)
        case .run:
            let recording = try request.recording.map {
                try PerfRecording(perf: $0.perf, in: $0.folder)
            }
            if recording != nil { MeasuredRegion.recordSpans() }
            var outcome = try workload.run(benchmarkCase, in: environment)
            recording?.end()
            if let file = request.recording?.spansFile {
                try JSONMessage.write(MeasuredRegion.spans, to: file)
            }
            MeasuredRegion.fill(&outcome.results[0])
            try JSONMessage.write(
                outcome, to: request.directory + "/" + CaseRequest.outcomeFileName)
        }
    }
}

/// The hidden command that verifies in a fresh process that a file holds what a case produced;
/// started by `run`. Prints one line for each problem.
struct VerifyRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CaseVerb.verify, shouldDisplay: false)

    @Argument var request: String

    func run() throws {
        ParentDeath.follow()
        let problems = try JSONMessage.read(VerificationRequest.self, from: request).problems()
        guard problems.isEmpty else {
            for problem in problems { print(problem) }
            throw BenchmarkError(.caseFailed, "The file is not what the case produced.")
        }
    }
}

/// The hidden command that observes persons in a process of its own; started by `notify`.
struct ObservePersonsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CaseVerb.observePersons, shouldDisplay: false)

    @Argument var request: String

    func run() throws {
        ParentDeath.follow()
        let request = try JSONMessage.read(ObservingProcess.Request.self, from: request)
        try ObservingProcess(request: request).run()
    }
}

/// The hidden command that writes one process's share of the sensors; started by the strategy
/// `processes`.
struct WriteSensorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CaseVerb.writeSensors, shouldDisplay: false)

    @Argument var request: String

    func run() throws {
        ParentDeath.follow()
        let request = try JSONMessage.read(SensorsShare.Request.self, from: request)
        let allocations = BenchmarkTool.allocations.withLock { $0 }
        try SensorsShare(request, allocations: allocations).run()
    }
}
