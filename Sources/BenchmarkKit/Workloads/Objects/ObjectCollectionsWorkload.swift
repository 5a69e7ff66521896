import ToolSupport

/// Elements of one object's collections, added one after the other or read at random.
enum ObjectCollectionsWorkload {
    static let workload = Workload.objects(
        "object-collections", "elements of the list, the set and the map of one object",
        jobs.map { (name: $0.name, summary: $0.summary) }, run
    ).with {
        $0.options = [.size, .seed, .batchSize]
        for (index, job) in jobs.enumerated() where job.job == .find {
            $0.strategies[index].furtherOptions = [.count]
        }
    }

    private enum Job { case add, find }

    private static let jobs: [(name: String, kind: ElementKind, job: Job, summary: String)] = [
        ("list-append", .list, .add, "appends integers, --batch-size of them a commit"),
        ("links-append", .links, .add, "appends links to new objects"),
        ("set-insert", .set, .add, "inserts strings"),
        ("map-insert", .map, .add, "sets integers below string keys"),
        ("list-access", .list, .find, "reads integers at random positions"),
        ("links-access", .links, .find, "reads an integer behind links at random positions"),
        ("set-contains", .set, .find, "looks for strings"),
        ("map-access", .map, .find, "reads integers below random keys"),
    ]

    /// The number of positions that one call reads.
    private static let batchOfReads = 100
    private static let usualReads = 200_000

    private static func run(_ core: CoreCase) throws -> CaseOutcome {
        guard let job = jobs.first(where: { $0.name == core.strategy }) else {
            throw BenchmarkError(.usage, "object-collections has no strategy '\(core.strategy)'.")
        }
        try core.makeDatabaseFolder()
        let store = try core.engine.openElements(at: core.databasePath, core.durability)
        switch job.job {
        case .add: return try add(core, store, job.kind)
        case .find: return try find(core, store, job.kind)
        }
    }

    private static func batches(_ core: CoreCase) -> some Sequence<[ElementValues]> {
        stride(from: 0, to: core.size, by: core.options.batchSize).lazy.map { first in
            (first..<min(first + core.options.batchSize, core.size)).map {
                ElementValues(position: $0, seed: core.seed)
            }
        }
    }

    private static func add(
        _ core: CoreCase, _ store: any ElementStore, _ kind: ElementKind
    ) throws -> CaseOutcome {
        var transactions = MeasuredTransactions(core)
        var digest = ResultDigest()
        var logicalBytes = 0
        for elements in batches(core) {
            try transactions.run(elements.count, on: store) {
                try store.add(elements[...], to: kind)
            }
            for element in elements {
                digest.add(element.row(in: kind))
                logicalBytes += element.logicalBytes(in: kind)
            }
        }
        var (result, latency) = try transactions.row(of: core, store, logicalBytes: logicalBytes)
        result.digest = digest.text
        return try CaseOutcome(
            results: [result], histograms: [.latency: latency],
            verification: core.expectation(of: .elements(kind), rows: core.size, digest))
    }

    private static func find(
        _ core: CoreCase, _ store: any ElementStore, _ kind: ElementKind
    ) throws -> CaseOutcome {
        core.environment.progress(ProgressUpdate(phase: "preparing"))
        for elements in batches(core) { try store.add(elements[...], to: kind) }
        core.progress(fraction: 0)
        var source = SeededGenerator(seed: core.seed &+ 1)
        let reads = core.options.count ?? usualReads
        // The wanted elements are created beforehand, so that only the store's work is measured.
        let wanted = (0..<max(1, reads / batchOfReads) * batchOfReads).map { _ in
            ElementValues(position: source.next(below: core.size), seed: core.seed)
        }
        let expected = wanted.reduce(0) { $0 + $1.term(in: kind) }
        _ = try store.sum(of: wanted.prefix(10 * batchOfReads), in: kind)
        var sum = 0
        var result = CaseResult(core.benchmarkCase)
        var timer = BatchTimer(batchSize: batchOfReads, batches: wanted.count / batchOfReads)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        try MeasuredRegion.run {
            for first in stride(from: 0, to: wanted.count, by: batchOfReads) {
                sum += try store.sum(of: wanted[first..<first + batchOfReads], in: kind)
                timer.endBatch()
            }
        }
        result.fill(allocations.finish(operations: timer.operations))
        guard sum == expected else {
            throw BenchmarkError(.caseFailed, "The elements found are not those that are there.")
        }
        timer.fill(&result)
        result.fill(try store.size())
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }
}
