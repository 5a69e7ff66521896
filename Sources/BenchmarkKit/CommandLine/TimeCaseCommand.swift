import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The hidden command that runs one case of a suite and prints a `TimedReport` as one line of JSON.
/// `gate` and `selftest` start it in this build or in another one. Two builds have to agree on its
/// arguments and its output, so fields are only ever added.
struct TimeCaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CaseVerb.time, shouldDisplay: false)

    @Option var suite: String
    @Option var `case`: String
    @Option var directory: String
    @Option var fixtures: String

    func run() throws {
        let cases = try Suite.load(suite).expanded(overriding: OptionOverrides())
        guard let chosen = cases.first(where: { $0.identifier.description == self.case }) else {
            throw BenchmarkError(.usage, "The suite '\(suite)' has no case '\(self.case)'.")
        }
        let environment = CaseEnvironment(
            directory: directory, fixtures: fixtures, allocations: nil, progress: { _ in })
        let workload = try WorkloadCatalogue.workload(named: chosen.identifier.workload)
        try workload.prepare(chosen, in: environment)
        let start = monotonicNanoseconds()
        let processorStart = ProcessorTime.seconds()
        let outcome =
            try chosen.unsupported.map { CaseOutcome(results: [.unsupported(chosen, $0)]) }
            ?? workload.run(chosen, in: environment)
        let processorSeconds = ProcessorTime.seconds() - processorStart
        let wallSeconds = seconds(from: start, to: monotonicNanoseconds())
        let result = outcome.results[0]
        let report = TimedReport(
            caseId: self.case, status: result.status, failure: result.failure,
            operations: result.operations, elapsedSeconds: result.elapsedSeconds,
            latencyP10: result.latency?.p10, latencyP50: result.latency?.p50,
            slowShare: result.latency?.slowShare,
            syncShare: result.measure("sync_p50_us").flatMap { sync in
                result.latency.map { sync / $0.p50 }
            },
            processorSeconds: processorSeconds, wallSeconds: wallSeconds, digest: result.digest)
        let line = try JSONEncoder().encode(report)
        print(String(decoding: line, as: UTF8.self))
    }
}

/// The processor time of this process, user and system.
enum ProcessorTime {
    static func seconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
