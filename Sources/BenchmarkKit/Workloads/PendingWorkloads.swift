/// A workload of a feature that is not implemented. It is listed so that a run shows what it does
/// not measure.
protocol PendingWorkload: CoreWorkload {
    static var reason: String { get }
}

extension PendingWorkload {
    static var features: [EngineFeature] { [] }
    static func reason(against strategy: String) -> String? { reason }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        CaseOutcome(results: [.unsupported(benchmarkCase, reason)])
    }
}

enum NotifyWorkload: PendingWorkload {
    static let name = "notify"
    static let summary = "from a commit to the handler that is told of it"
    static let reason = "Notifications are not part of the engine yet."
}

enum MigrateWorkload: PendingWorkload {
    static let name = "migrate"
    static let summary = "opening a file whose classes have changed"
    static let reason = "Migrations are not part of the engine yet."
}
