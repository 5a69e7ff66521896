import ToolSupport

/// The number of accesses to one object's property in one call of the store.
private let callSize = 1000

/// Repeated accesses to one property, object by object, for each kind of property.
enum ObjectPropertyWorkload {
    fileprivate static func workload(
        _ name: String, _ summary: String, verb: String,
        _ run: @escaping @Sendable (CoreCase) throws -> CaseOutcome
    ) -> Workload {
        let strategies = PropertyKind.allCases.map {
            (name: $0.rawValue, summary: "\(verb) properties of the kind \($0.rawValue)")
        }
        return Workload.objects(name, summary, strategies, run).with { $0.defaultSize = 1000 }
    }

    /// Creates a file with an object of each number, and returns the kind of property that the case
    /// measures.
    fileprivate static func open(_ core: CoreCase) throws
        -> (store: any PropertyStore, kind: PropertyKind, objects: [PropertyValues])
    {
        guard let kind = PropertyKind(rawValue: core.strategy) else {
            throw BenchmarkError(.usage, "There is no kind of properties '\(core.strategy)'.")
        }
        try core.makeDatabaseFolder()
        let store = try core.engine.openProperties(at: core.databasePath, core.durability)
        let objects = (0..<core.size).map { PropertyValues(number: $0, seed: core.seed) }
        try store.add(objects)
        try store.hold(core.size)
        core.progress(fraction: 0)
        return (store, kind, objects)
    }

    fileprivate static func calls(_ core: CoreCase) -> Int {
        max(1, (core.options.count ?? 1_000_000) / callSize)
    }
}

enum ObjectReadWorkload {
    static let name = "object-read"
    static let workload = ObjectPropertyWorkload.workload(
        name, "reads of one property of an object, of each kind", verb: "reads", run)

    private static func run(_ core: CoreCase) throws -> CaseOutcome {
        let (store, kind, objects) = try ObjectPropertyWorkload.open(core)
        let calls = ObjectPropertyWorkload.calls(core)
        for number in 0..<min(50, core.size) {
            _ = try store.sum(of: kind, object: number, times: callSize)
        }
        var sum: UInt64 = 0
        var timer = BatchTimer(batchSize: callSize, batches: calls)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        try MeasuredRegion.run {
            for call in 0..<calls {
                sum &+= try store.sum(of: kind, object: call % core.size, times: callSize)
                timer.endBatch()
            }
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: timer.operations))
        let expected = (0..<calls).reduce(UInt64(0)) {
            $0 &+ objects[$1 % core.size].word(of: kind) &* UInt64(callSize)
        }
        guard sum == expected else {
            throw BenchmarkError(.caseFailed, "The sum of the reads is wrong.")
        }
        timer.fill(&result)
        result.fill(try store.size())
        result.digest = ResultDigest.text(of: sum)
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }
}

enum ObjectWriteWorkload {
    static let workload = ObjectPropertyWorkload.workload(
        "object-write", "writes of one property of an object, of each kind, in one transaction",
        verb: "writes", run)

    /// Measures the writes without the commit, of which there is one for all.
    private static func run(_ core: CoreCase) throws -> CaseOutcome {
        let (store, kind, objects) = try ObjectPropertyWorkload.open(core)
        let calls = ObjectPropertyWorkload.calls(core)
        // Writes alternate between the values of the next two numbers; the last write is of the
        // second.
        func values(_ number: Int) -> (PropertyValues, PropertyValues) {
            let next = PropertyValues(number: number + 1, seed: core.seed)
            return (next, PropertyValues(number: number + 2, seed: core.seed))
        }
        var timer = BatchTimer(batchSize: callSize, batches: calls)
        var allocated: (allocations: Double, bytes: Double)?
        try store.write {
            // This warm-up already copies some pages of the file for the transaction.
            for number in 0..<min(50, core.size, calls) {
                try store.set(kind, object: number, to: values(number), times: callSize)
            }
            var allocations = AllocationMeasurement(core.environment.allocations)
            timer.beginBatch()
            try MeasuredRegion.run {
                for call in 0..<calls {
                    let number = call % core.size
                    try store.set(kind, object: number, to: values(number), times: callSize)
                    timer.endBatch()
                }
            }
            allocated = allocations.finish(operations: timer.operations)
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocated)
        timer.fill(&result)
        result.fill(try store.size())
        var digest = ResultDigest()
        for object in objects {
            let source = object.number < calls ? values(object.number).1 : object
            let texts = PropertyKind.allCases.map { ($0 == kind ? source : object).text(of: $0) }
            digest.add(PropertyValues.row(object.number, texts))
        }
        result.digest = digest.text
        return try CaseOutcome(
            results: [result], histograms: [.latency: timer.distribution],
            verification: core.expectation(of: .properties, rows: core.size, digest))
    }
}
