import ToolSupport

/// The catalogue of all workloads.
enum WorkloadCatalogue {
    static let all: [any Workload.Type] = [
        SensorsWorkload.self,
        CommitWorkload.self, ConcurrentCommitWorkload.self,
        InsertWorkload.self, InsertIntegerKeyWorkload.self, InsertStringKeyWorkload.self,
        InsertIndexedWorkload.self, InsertTextWorkload.self,
        LookupWorkload.self, LookupStringKeyWorkload.self, LookupAgedWorkload.self,
        LookupColdWorkload.self, LookupIndexedWorkload.self, LookupTypedWorkload.self,
        LookupInWorkload.self, LookupRangeWorkload.self, PropertyReadWorkload.self,
        CountWorkload.self, CountAgedWorkload.self, CountColdWorkload.self, PrefixWorkload.self,
        PrefixTextWorkload.self, DateRangeWorkload.self, ContainsWorkload.self,
        ContainsTextWorkload.self, CompoundWorkload.self, SumWorkload.self, ExtremesWorkload.self,
        AverageWorkload.self, ColumnScanWorkload.self, SortWorkload.self,
        SortTextWorkload.self, SortAllWorkload.self,
        IterateWorkload.self, IterateAgedWorkload.self, IterateTextWorkload.self,
        IterateFilteredWorkload.self, RefreshedQueryWorkload.self,
        UpdateWorkload.self, UpdateAllWorkload.self, SetValuesWorkload.self,
        DeleteHalfWorkload.self,
        LinksBuildWorkload.self, LinksFollowWorkload.self, BacklinksWorkload.self,
        LinkQueryWorkload.self,
        ObjectAddWorkload.self, ObjectCollectionsWorkload.self, ObjectReadWorkload.self,
        ObjectWriteWorkload.self, ObjectAccessorsWorkload.self, ObjectLoopWorkload.self,
        ReadWhileWritingWorkload.self, OpenWorkload.self, CompactWorkload.self,
        NotifyWorkload.self, MigrateWorkload.self,
        YCSBWorkloadA.self, YCSBWorkloadB.self, YCSBWorkloadC.self, YCSBWorkloadD.self,
        YCSBWorkloadE.self, YCSBWorkloadF.self, GrowthWorkload.self, CipherWorkload.self,
    ]

    static func workload(named name: String) throws -> any Workload.Type {
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
        let workload = try workload(named: name)
        guard workload.strategies.contains(where: { $0.name == strategy }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "strategy of the workload \(name)", name: strategy,
                    among: workload.strategies.map { $0.name }))
        }
        if let problem = options.problem {
            throw BenchmarkError(
                .usage, "The option \(problem.option) of \(name) \(problem.reason)")
        }
        if let size, !(1...1_000_000_000).contains(size) {
            throw BenchmarkError(
                .usage, "The size of \(name) must be from 1 to 1000000000, not \(size).")
        }
        var options = options
        if options.askedThreads == nil { options.threads = workload.defaultThreads(of: strategy) }
        let identifier = CaseIdentifier(
            workload: name, strategy: strategy, durability: durability, isEncrypted: isEncrypted,
            size: try workload.size(for: options, asked: size), engine: engine)
        let layers =
            EngineLayer(rawValue: workload.layer(of: strategy)).map { [$0] }
            ?? [.api, .engine]
        let found = try layers.lazy.compactMap {
            try EngineCatalogue.engine(named: engine, layer: $0)
        }.first
        guard let found, engine == "realm" || workload.features(of: strategy) != nil else {
            return nil
        }
        var benchmarkCase = BenchmarkCase(
            identifier: identifier, layer: found.layer.rawValue, options: options,
            unsupported: workload.reason(against: strategy)
                ?? reason(against: identifier, of: workload, found))
        benchmarkCase.isDeterministic =
            benchmarkCase.unsupported == nil && benchmarkCase.canRepeat && engine == "realm"
            && workload.isDeterministic(benchmarkCase)
        return benchmarkCase
    }

    private static func reason(
        against identifier: CaseIdentifier, of workload: any Workload.Type,
        _ engine: any BenchmarkEngine
    ) -> String? {
        if identifier.isEncrypted, !(engine is any RealmEngine) {
            return "The engine \(engine.name) is not measured with encrypted files."
        }
        if !engine.durabilities.contains(identifier.durability) {
            return "The engine \(engine.name) has no durability '\(identifier.durability)'."
        }
        let features = workload.features(of: identifier.strategy) ?? []
        return features.lazy.compactMap { engine.reason(against: $0) }.first
    }
}

extension BenchmarkCase {
    /// Whether the case runs in the program described by `SystemAllocatorProgram`.
    func usesSystemAllocator() throws -> Bool {
        try WorkloadCatalogue.workload(named: identifier.workload)
            .usesSystemAllocator(identifier.strategy)
    }
}
