import ToolSupport

/// One run of a user's workload that changes its file.
struct OwnWriteRun {
    /// The operations before the measurement, the same for every strategy, so that all leave the
    /// same objects. As many as before ``SingleCommits``.
    private static let warmup = SingleCommits.block

    private let file: OwnFile
    private var core: CoreCase { file.core }
    private var warmup: Int { min(Self.warmup, core.options.count ?? Self.warmup) }

    init(_ file: OwnFile) { self.file = file }

    func run(_ kind: BenchmarkWriteStrategy.Kind) throws -> CaseOutcome {
        let store = try file.open()
        var outcome: CaseOutcome
        switch kind {
        case .single: outcome = try commits(store)
        case .batched:
            outcome = try batches(store) { operations in
                try store.write { for operation in operations { try store.change(operation) } }
            }
        case .own(let write):
            guard let realm = (store as? OwnRealm)?.realm,
                case .writes(let change, _, _) = file.workload.work
            else {
                throw BenchmarkError(
                    .internalError, "A strategy of a user's package writes to Realms only.")
            }
            outcome = try batches(store) { try write(realm, $0, change) }
        case .threads: outcome = try threads(store)
        }
        let digest = try store.digest()
        if core.options.count != nil { outcome.results[0].digest = digest }
        outcome.verification = try file.expectation(
            written: warmup + outcome.results[0].operations, digest: digest)
        return outcome
    }

    private func commits(_ store: any OwnStore) throws -> CaseOutcome {
        let commits = try SingleCommits(core, store)
        try commits.run { number in
            try store.write { try store.change(file.operation(number)) }
        }
        return CaseOutcome(
            results: try commits.results(logicalBytes: nil), histograms: commits.histograms)
    }

    private func batches(
        _ store: any OwnStore, _ write: ([BenchmarkOperation]) throws -> Void
    ) throws -> CaseOutcome {
        try write((0..<warmup).map(file.operation))
        let control = try core.makeInterleavedControl()
        var transactions = MeasuredTransactions(core)
        while true {
            let left =
                core.options.count.map { $0 - transactions.operations }
                ?? (transactions.elapsedSeconds < core.options.seconds ? .max : 0)
            if left <= 0 { break }
            let first = warmup + transactions.operations
            let operations = (first..<first + min(left, core.options.batchSize))
                .map(file.operation)
            let before = transactions.calls
            try transactions.run(operations.count, on: store) { try write(operations) }
            try control?.replay(CommitShape.commits(of: transactions.calls - before))
            core.progress(
                fraction: core.options.count.map {
                    Double(transactions.operations) / Double($0)
                } ?? transactions.elapsedSeconds / core.options.seconds)
        }
        var (result, latency) = try transactions.row(of: core, store)
        var results = [result]
        if let control {
            let bare = control.result(
                beside: core.benchmarkCase, strategy: core.strategy + "-bare-disk",
                operations: result.operations)
            if let own = result.throughput, let rate = bare.throughput {
                result.measure("ratio_to_control", own / rate)
            }
            results = [result, bare]
        }
        return CaseOutcome(results: results, histograms: [.latency: latency])
    }

    private func threads(_ store: any OwnStore) throws -> CaseOutcome {
        try store.write {
            for number in 0..<warmup { try store.change(file.operation(number)) }
        }
        let first = warmup
        let course = ConcurrentCommitWorkload.Course(core.options)
        var io = IOMeasurement(core.engine)
        io.resume()
        let measured = try ConcurrentCommitWorkload.measure(core, course) { [file] in
            let own = try file.open()
            return { number in
                try own.write { try own.change(file.operation(first + number)) }
            }
        }
        io.pause()
        var result = CaseResult(core.benchmarkCase)
        measured.fill(&result)
        result.fill(io, commits: course.committed, pages: nil, logicalBytes: 0)
        store.refresh()
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return CaseOutcome(
            results: [result], timeline: measured.timeline,
            histograms: [.latency: measured.latency.distribution])
    }
}
