import Foundation
import StorageEngine
import ToolSupport

/// The workloads of a user's package, if the program is that of one.
enum OwnWorkloads {
    private static let registered = Locked<[BenchmarkWorkload]?>(nil)

    /// Nil in `realm-bench`.
    static var all: [BenchmarkWorkload]? { registered.withLock { $0 } }

    /// Makes the program one with these workloads.
    ///
    /// - Throws: a usage error if they cannot be told apart, or have nothing to do.
    static func register(_ workloads: [BenchmarkWorkload]) throws {
        if let problem = problem(of: workloads) { throw BenchmarkError(.usage, problem) }
        ToolProgram.becomeOwn(named: CaseProcess.ownExecutable.lastPathComponent)
        registered.withLock { $0 = workloads }
        EngineCatalogue.register(engines(of: workloads))
    }

    private static func engines(of workloads: [BenchmarkWorkload]) -> [OwnEngine] {
        workloads.flatMap { $0.besides.map(\.engine) }.reduce(into: []) { engines, engine in
            if !engines.contains(where: { $0.name == engine.name }) { engines.append(engine) }
        }
    }

    /// Returns the first mistake in the declarations, as a sentence; nil if there is none.
    static func problem(of workloads: [BenchmarkWorkload]) -> String? {
        if workloads.isEmpty { return "The program declares no workloads." }
        for workload in workloads {
            let name = workload.name
            if let mistake = workload.mistake { return mistake }
            let strategies = workload.strategies.map { $0.name }
            if strategies.isEmpty { return "The workload '\(name)' has no strategies." }
            for part in [name] + strategies + workload.besides.map(\.engine.name)
            where !isPlain(part) {
                return "'\(part)' of the workload '\(name)' cannot be a name: lower-case letters, "
                    + "digits and '-' can."
            }
            if Set(strategies).count < strategies.count {
                return "The workload '\(name)' has two strategies of one name."
            }
            if workloads.filter({ $0.name == name }).count > 1 {
                return "Two workloads are named '\(name)'."
            }
            if workload.size < 1 || workload.count < 1 {
                return "The size and the count of the workload '\(name)' must be at least 1."
            }
            if let problem = problem(ofBesides: workload) { return problem }
        }
        return nil
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    }

    /// Returns the first mistake in what is said of other databases.
    private static func problem(ofBesides workload: BenchmarkWorkload) -> String? {
        let place = "of the workload '\(workload.name)'"
        for (index, beside) in workload.besides.enumerated() {
            let engine = beside.engine.name
            let database = "The database '\(engine)' \(place)"
            if ["realm", "control"].contains(engine) {
                return "No database \(place) can be named '\(engine)': other rows are."
            }
            if workload.besides[..<index].contains(where: { $0.engine.name == engine }) {
                return "Two databases \(place) are named '\(engine)'."
            }
            if case .writes = workload.work {
                if beside.strategy != nil {
                    return "\(database) needs writing(to:), not reading(from:)."
                }
                if beside.isInMemory {
                    return "\(database) is in memory: what it writes cannot "
                        + "be proved by another process."
                }
                if beside.isFilled != (workload.fill != nil) {
                    return "\(database) must be filled if, and only if, the "
                        + "Realm is."
                }
            } else {
                guard let strategy = beside.strategy else {
                    return "\(database) needs reading(from:), not writing(to:)."
                }
                if strategy.isEmpty {
                    return "\(database) must come after the strategy beside which it stands."
                }
                if !workload.strategies.contains(where: { $0.name == strategy }) {
                    return "\(database) stands beside '\(strategy)', which is "
                        + "no strategy of it."
                }
            }
        }
        return nil
    }

    static func workload(named name: String) throws -> BenchmarkWorkload {
        guard let found = all?.first(where: { $0.name == name }) else {
            throw BenchmarkError(.internalError, "No workload is named '\(name)'.")
        }
        return found
    }
}

extension BenchmarkWorkload {
    /// The declaration as the runner takes it.
    var asWorkload: Workload {
        var workload = Workload(
            name: name, summary: summary, strategies: strategies, defaultSize: size,
            options: options
        ) { benchmarkCase, environment in try run(CoreCase(benchmarkCase, environment)) }
        workload.isDeterministic = isDeterministic
        workload.countedOperations = min(count, InstructionCount.operations)
        workload.strategiesDoTheSameWork = strategiesAgree
        if case .writes = work { workload.resultDependsOnEngine = true }
        if fill != nil {
            workload.preparation = { benchmarkCase, environment in
                try OwnFile(self, CoreCase(benchmarkCase, environment)).prepare()
            }
        }
        return workload
    }

    var strategies: [Workload.Strategy] {
        switch work {
        case .reads(let strategies):
            strategies.map { strategy in
                Workload.Strategy(
                    name: strategy.name, summary: strategy.summary, layer: "api",
                    ownEngines: besides.filter { $0.strategy == strategy.name }
                        .map(\.engine.name))
            }
        case .writes(_, let strategies, _):
            strategies.map { strategy in
                let (threads, options) = strategy.kind.threadsAndOptions
                return Workload.Strategy(
                    name: strategy.name, summary: strategy.summary, layer: "api",
                    threads: threads, furtherOptions: options,
                    ownEngines: besides.filter(strategy.kind.writes).map(\.engine.name))
            }
        }
    }

    private var options: Set<CaseOption> {
        fill == nil ? [.count, .seconds, .seed] : [.count, .seconds, .seed, .size]
    }

    private var isDeterministic: @Sendable (BenchmarkCase) -> Bool {
        var unrepeatable: Set<String> = []
        if case .writes(_, let strategies, _) = work {
            unrepeatable = Set(strategies.filter { !$0.repeats }.map { $0.name })
        }
        return { [unrepeatable] in
            $0.options.count != nil && !unrepeatable.contains($0.identifier.strategy)
        }
    }

    private func run(_ core: CoreCase) throws -> CaseOutcome {
        switch work {
        case .reads(let strategies):
            guard let strategy = strategies.first(where: { $0.name == core.strategy }) else {
                break
            }
            return try OwnReadRun(strategy, OwnFile(self, core)).run()
        case .writes(_, let strategies, _):
            guard let strategy = strategies.first(where: { $0.name == core.strategy }) else {
                break
            }
            return try OwnWriteRun(OwnFile(self, core)).run(strategy.kind)
        }
        throw BenchmarkError(
            .internalError, "The workload '\(name)' has no strategy '\(core.strategy)'.")
    }
}

extension BenchmarkWriteStrategy.Kind {
    fileprivate var threadsAndOptions: (threads: Int, options: Set<CaseOption>) {
        switch self {
        case .single: (1, [.rate])
        case .batched, .own: (1, [.batchSize])
        case .threads: (8, [.rate, .threads])
        }
    }
    /// Whether the strategy can write to another database.
    fileprivate func writes(to beside: BenchmarkWorkload.Beside) -> Bool {
        switch self {
        case .single, .batched: true
        case .threads: beside.hasSeveralWriters
        case .own: false
        }
    }
}
