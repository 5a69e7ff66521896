import ToolSupport

/// The workloads by name, and the cases of their strategies.
enum WorkloadCatalogue {
    static func workload(named name: String) throws -> Workload {
        guard let workload = all.first(where: { $0.name == name }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(kind: "workload", name: name, among: all.map { $0.name }))
        }
        return workload
    }

    /// Creates and checks the case of one strategy. Nil if the engine lacks the strategy's layer,
    /// or if the workload is for the embedded engine only.
    static func makeCase(
        workload name: String, strategy: String, engine: String = "realm",
        durability: Durability = .full, isEncrypted: Bool = false, size: Int?, options: CaseOptions
    ) throws -> BenchmarkCase? {
        try makeCase(
            of: workload(named: name), strategy: strategy, engine: engine, durability: durability,
            isEncrypted: isEncrypted, size: size, options: options)
    }

    /// Creates the case of a workload, be it in the table or not.
    static func makeCase(
        of workload: Workload, strategy: String, engine: String = "realm",
        durability: Durability = .full, isEncrypted: Bool = false, size: Int?, options: CaseOptions
    ) throws -> BenchmarkCase? {
        let name = workload.name
        let way = try workload.requiredStrategy(named: strategy)
        if let problem = options.problem {
            throw BenchmarkError(
                .usage, "The option \(problem.option) of \(name) \(problem.reason)")
        }
        if let size, !(1...1_000_000_000).contains(size) {
            throw BenchmarkError(
                .usage, "The size of \(name) must be from 1 to 1000000000, not \(size).")
        }
        var options = options
        if options.askedThreads == nil { options.threads = way.threads }
        let identifier = CaseIdentifier(
            workload: name, strategy: strategy, durability: durability, isEncrypted: isEncrypted,
            size: try workload.size(for: options, asked: size), engine: engine)
        let layers =
            EngineLayer(rawValue: way.layer).map { [$0] }
            ?? [.api, .engine]
        let found = try layers.lazy.compactMap {
            try EngineCatalogue.engine(named: engine, layer: $0)
        }.first
        guard let found,
            engine == "realm" || way.features != nil || way.ownEngines.contains(engine)
        else { return nil }
        var benchmarkCase = BenchmarkCase(
            identifier: identifier, layer: found.layer.rawValue, options: options,
            unsupported: reason(against: identifier, by: way, found))
        benchmarkCase.isDeterministic =
            benchmarkCase.unsupported == nil && benchmarkCase.canRepeat && engine == "realm"
            && workload.isDeterministic(benchmarkCase)
        return benchmarkCase
    }

    private static func reason(
        against identifier: CaseIdentifier, by strategy: Workload.Strategy,
        _ engine: any BenchmarkEngine
    ) -> String? {
        if identifier.isEncrypted, !(engine is any RealmEngine) {
            return "The engine \(engine.name) is not measured with encrypted files."
        }
        if !engine.durabilities.contains(identifier.durability) {
            return "The engine \(engine.name) has no durability '\(identifier.durability)'."
        }
        return (strategy.features ?? []).lazy.compactMap { engine.reason(against: $0) }.first
    }
}

extension Workload {
    /// Returns the strategy with this name.
    ///
    /// - Throws: a usage error if there is none.
    func requiredStrategy(named name: String) throws -> Strategy {
        if let strategy = strategy(named: name) { return strategy }
        throw BenchmarkError(
            .usage,
            NameSuggestion.message(
                kind: "strategy of the workload \(self.name)", name: name,
                among: strategies.map { $0.name }))
    }
}

extension BenchmarkCase {
    /// Whether the case runs in the program described by `SystemAllocatorProgram`.
    func usesSystemAllocator() throws -> Bool {
        try WorkloadCatalogue.workload(named: identifier.workload)
            .strategy(named: identifier.strategy)?.usesSystemAllocator ?? false
    }
}
