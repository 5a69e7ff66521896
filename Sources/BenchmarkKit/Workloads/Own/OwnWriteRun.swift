import RealmSwift
import ToolSupport

/// One run of a user's workload that changes its file.
struct OwnWriteRun {
    /// The operations before the measurement, the same for every strategy, so that all leave the
    /// same objects. As many as before ``SingleCommits``.
    private static let warmup = SingleCommits.block

    private let change: BenchmarkWriteStrategy.Change
    private let file: OwnFile
    private var core: CoreCase { file.core }
    private var warmup: Int { min(Self.warmup, core.options.count ?? Self.warmup) }

    init(_ change: @escaping BenchmarkWriteStrategy.Change, _ file: OwnFile) {
        self.change = change
        self.file = file
    }

    func run(_ kind: BenchmarkWriteStrategy.Kind) throws -> CaseOutcome {
        let store = try file.open()
        var outcome: CaseOutcome
        switch kind {
        case .single: outcome = try commits(store)
        case .batches(let write): outcome = try batches(store, write)
        case .threads: outcome = try threads(store)
        }
        let digest = try store.digest()
        if core.options.count != nil { outcome.results[0].digest = digest }
        outcome.verification = try file.expectation(
            written: warmup + outcome.results[0].operations, digest: digest)
        return outcome
    }

    private func commits(_ store: OwnStore) throws -> CaseOutcome {
        let commits = try SingleCommits(core, store)
        try commits.run { number in
            try store.realm.write { try change(store.realm, file.operation(number)) }
        }
        return CaseOutcome(
            results: try commits.results(logicalBytes: nil), histograms: commits.histograms)
    }

    private func batches(
        _ store: OwnStore, _ write: BenchmarkWriteStrategy.Write
    ) throws -> CaseOutcome {
        try write(store.realm, (0..<warmup).map(file.operation), change)
        var transactions = MeasuredTransactions(core)
        while true {
            let left =
                core.options.count.map { $0 - transactions.operations }
                ?? (transactions.elapsedSeconds < core.options.seconds ? .max : 0)
            if left <= 0 { break }
            let first = warmup + transactions.operations
            let operations = (first..<first + min(left, core.options.batchSize))
                .map(file.operation)
            try transactions.run(operations.count, on: store) {
                try write(store.realm, operations, change)
            }
            core.progress(
                fraction: core.options.count.map {
                    Double(transactions.operations) / Double($0)
                } ?? transactions.elapsedSeconds / core.options.seconds)
        }
        let (result, latency) = try transactions.row(of: core, store)
        return CaseOutcome(results: [result], histograms: [.latency: latency])
    }

    private func threads(_ store: OwnStore) throws -> CaseOutcome {
        try store.realm.write {
            for number in 0..<warmup { try change(store.realm, file.operation(number)) }
        }
        let first = warmup
        let course = ConcurrentCommitWorkload.Course(core.options)
        var io = IOMeasurement(core.engine)
        io.resume()
        let measured = try ConcurrentCommitWorkload.measure(core, course) { [change, file] in
            let realm = try file.open().realm
            return { number in
                try realm.write { try change(realm, file.operation(first + number)) }
            }
        }
        io.pause()
        var result = CaseResult(core.benchmarkCase)
        measured.fill(&result)
        result.fill(io, commits: course.committed, pages: nil, logicalBytes: 0)
        store.realm.refresh()
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return CaseOutcome(
            results: [result], timeline: measured.timeline,
            histograms: [.latency: measured.latency.distribution])
    }
}
