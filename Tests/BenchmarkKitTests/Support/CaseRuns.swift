import Foundation
import Testing

@testable import BenchmarkKit

/// Prepares and runs one case in this process. Its database is in the folder
/// `<workload>-<strategy>` of `folder`.
func runCase(
    _ workload: Workload, _ strategy: String, durability: Durability = .full, size: Int? = nil,
    in folder: TemporaryFolder, allocations: AllocationProbe? = nil,
    _ change: (inout CaseOptions) -> Void = { _ in }
) throws -> CaseOutcome {
    var options = CaseOptions()
    change(&options)
    let benchmarkCase = try #require(
        try WorkloadCatalogue.makeCase(
            of: workload, strategy: strategy, durability: durability, size: size,
            options: options))
    try #require(benchmarkCase.unsupported == nil)
    let directory = "\(folder.path)/\(workload.name)-\(strategy)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let environment = CaseEnvironment(
        directory: directory, fixtures: folder.path, allocations: allocations, progress: { _ in })
    try workload.prepare(benchmarkCase, in: environment)
    return try workload.run(benchmarkCase, in: environment)
}

/// Prepares and runs a case of a workload of the catalogue.
func runCase(
    _ workload: String, _ strategy: String, durability: Durability = .full, size: Int? = nil,
    in folder: TemporaryFolder, allocations: AllocationProbe? = nil,
    _ change: (inout CaseOptions) -> Void = { _ in }
) throws -> CaseOutcome {
    try runCase(
        WorkloadCatalogue.workload(named: workload), strategy, durability: durability, size: size,
        in: folder, allocations: allocations, change)
}

/// Runs a case on a thread of its own, as the program does. A case may block its thread until tasks
/// have run; two tests that do so on the threads that run tasks would wait for each other.
func runCaseAside(
    _ workload: Workload, _ strategy: String, size: Int? = nil, in folder: TemporaryFolder,
    _ change: @escaping @Sendable (inout CaseOptions) -> Void = { _ in }
) async throws -> CaseOutcome {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread {
            continuation.resume(
                with: Result { try runCase(workload, strategy, size: size, in: folder, change) })
        }
        thread.stackSize = 8 << 20
        thread.start()
    }
}

/// Returns what the proof of a case finds wrong in the file that the case wrote.
func problems(_ outcome: CaseOutcome) throws -> [String] {
    try #require(outcome.verification).problems()
}

extension CaseResult {
    /// Returns a row of a case that has not run.
    static func empty(
        _ workload: String = "sensors", _ strategy: String = "batched", engine: String = "realm"
    ) -> CaseResult {
        CaseResult(
            BenchmarkCase(
                identifier: CaseIdentifier(
                    workload: workload, strategy: strategy, size: 50_000, engine: engine),
                layer: "api", options: CaseOptions()))
    }
}
