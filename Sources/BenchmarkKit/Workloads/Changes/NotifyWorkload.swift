import ToolSupport

/// From the return of a commit to the handlers that are told of it.
enum NotifyWorkload {
    static let name = "notify"
    /// The measure of the whole way, from the beginning of a transaction.
    static let told = "write_to_told_p50_us"

    /// A way for changes to reach an observer.
    struct Way: Sendable {
        enum Place: Sendable { case sameThread, refresh, thread, queue, actor, process }

        let name: String
        let summary: String
        let place: Place
        var matter = ObservedMatter.persons
        var observers = 1
        var changes = 1
        /// Whether other engines can do it.
        var isCommon = false
    }

    static let ways = [
        Way(
            name: "same-thread", summary: "the thread that commits, called by its run loop",
            place: .sameThread, isCommon: true),
        Way(
            name: "refresh", summary: "the thread that commits, called by refresh()",
            place: .refresh),
        Way(name: "thread", summary: "another thread, called by its run loop", place: .thread),
        Way(name: "queue", summary: "a serial queue", place: .queue, isCommon: true),
        Way(
            name: "queue-10-observers", summary: "ten observers on a serial queue",
            place: .queue, observers: 10, isCommon: true),
        Way(
            name: "queue-1000-observers", summary: "a thousand observers on a serial queue",
            place: .queue, observers: 1000, isCommon: true),
        Way(
            name: "queue-100-changes", summary: "a serial queue, 100 persons changed at once",
            place: .queue, changes: 100, isCommon: true),
        Way(
            name: "queue-100000-changes",
            summary: "a serial queue, 100,000 persons changed at once",
            place: .queue, changes: 100_000, isCommon: true),
        Way(
            name: "signal", summary: "a serial queue, told of the commit and not of what changed",
            place: .queue, matter: .commits, isCommon: true),
        Way(
            name: processName, summary: "another process, called by its run loop",
            place: .process),
        Way(name: "actor", summary: "an actor with a Realm of its own", place: .actor),
    ]

    private static let processName = "process"

    static let workload = Workload.persons(
        name, "from a commit that has returned to the handlers of observers of all persons",
        needs: [.updates, .observers], on: .changed, run
    ).with { workload in
        let features = PersonsFile.changed.features + [.updates, .observers]
        workload.strategies = ways.map {
            Workload.Strategy(
                name: $0.name, summary: $0.summary, layer: "api",
                features: $0.isCommon ? features : nil)
        }
        // The other process may still be busy with a commit when the next one begins.
        workload.isDeterministic = { $0.identifier.strategy != processName }
        workload.countedOperations = nil
        workload.options.formUnion([.observers, .changes, .rate])
        workload.resultDependsOnBatchSize = true
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        guard let way = ways.first(where: { $0.name == core.strategy }) else {
            throw BenchmarkError(.usage, "No strategy '\(core.strategy)' of \(name).")
        }
        let run = try NotifyRun(core, file, way)
        switch way.place {
        case .sameThread, .refresh: return try CallerRunLoop.run { try run.run() }
        case .thread, .queue, .actor, .process: return try run.run()
        }
    }
}
