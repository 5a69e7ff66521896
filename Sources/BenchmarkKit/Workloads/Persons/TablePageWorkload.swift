import Foundation
import RealmTool
import Synchronization
import ToolSupport

/// What the table of the Studio asks for, beside a writer that commits without a break: 100 rows of
/// the newest version, as the page gets them.
enum TablePageWorkload {
    private static let rowsOfPage = 100
    /// The requests unless `--count` says how many.
    private static let usualCount = 200

    static let workload = Workload.persons(
        "table-page", "100 rows as the Studio shows them, while another thread commits",
        needs: [.updates], on: .changed, run
    ).with {
        $0.strategies = Table.allCases.map {
            Workload.Strategy(name: $0.rawValue, summary: $0.summary, layer: "engine")
        }
        $0.strategiesDoTheSameWork = false
        $0.isDeterministic = Workload.never
    }

    /// What the table shows.
    private enum Table: String, CaseIterable {
        case position, sort, query
        case sortedPosition = "sorted-position"

        var summary: String {
            switch self {
            case .position: "at a random position of all"
            case .sort: "the first of all by their birthdate"
            case .query: "the first of those younger than 30, and how many there are"
            case .sortedPosition: "at a random position of an order that was found before"
            }
        }

        var question: InspectedVersion.Question {
            switch self {
            case .position: .init(className: "KeyedPerson")
            case .sort, .sortedPosition: .init(className: "KeyedPerson", order: "birthdate")
            case .query:
                .init(
                    className: "KeyedPerson", predicate: "age < \(PassQuestion.youngAge)")
            }
        }

        /// Whether each request begins at a position of its own.
        var isRandom: Bool { self == .position || self == .sortedPosition }
    }

    private enum Part: Sendable {
        case reader(BatchTimer)
        case writer(ReadWhileWritingWorkload.Part)
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let path = try file.path(core)
        // This store keeps the file open.
        let store = try core.open(path, file.layout)
        let end = StopFlag()
        let workers = WorkerThreads<Part>(count: 2, name: "worker") { number, start in
            if number == 0 {
                let inspected = try InspectedFile(
                    path: path, key: FileEncryption.key, isEditable: true)
                guard start.wait() else { return nil }
                defer { end.set() }
                return .reader(try read(inspected, core))
            }
            let own = try core.open(path, file.layout)
            guard start.wait() else { return nil }
            return .writer(try write(own, core, until: end))
        }
        workers.waitUntilReady()
        core.progress(fraction: 0)
        var result = CaseResult(core.benchmarkCase)
        var oracle = file.fixture(of: core).oracle()
        var histograms: [HistogramKind: HistogramData] = [:]
        for part in try MeasuredRegion.run({ try workers.run() }) {
            switch part {
            case .reader(let timer):
                timer.fill(&result)
                histograms[.latency] = timer.distribution
            case .writer(let written):
                result.measure("writer_commits_per_s", written.rate)
                result.measure("writer_p50_us", written.latency.percentile(50))
                result.measure("writer_p99_us", written.latency.percentile(99))
                result.measure("commits", Double(written.operations))
                var updates = RandomUpdates(size: core.size, seed: core.seed)
                for _ in 0..<written.operations {
                    let update = updates.next()
                    oracle.setAge(of: update.number, to: update.age)
                }
            }
        }
        try store.refresh()
        result.fill(try store.size())
        return try CaseOutcome(
            results: [result], histograms: histograms,
            verification: core.expectation(oracle.contents(), file.layout))
    }

    private final class StopFlag: Sendable {
        private let isSet = Atomic(false)

        func set() { isSet.store(true, ordering: .relaxed) }
        var mayGoOn: Bool { !isSet.load(ordering: .relaxed) }
    }

    private static func write(
        _ store: any PersonStore, _ core: CoreCase, until end: StopFlag
    ) throws -> ReadWhileWritingWorkload.Part {
        var updates = RandomUpdates(size: core.size, seed: core.seed)
        var part = ReadWhileWritingWorkload.Part()
        while end.mayGoOn {
            let update = updates.next()
            try store.updateAge(number: update.number, to: update.age)
            part.note(1)
        }
        return part
    }

    // MARK: Reading

    private static func read(_ file: InspectedFile, _ core: CoreCase) throws -> BatchTimer {
        guard let table = Table(rawValue: core.strategy) else {
            throw BenchmarkError(.internalError, "There is no strategy '\(core.strategy)'.")
        }
        let question = table.question
        let last = max(0, core.size - rowsOfPage)
        // Orders are found once for a version, and are kept as long as that is shown.
        var kept: InspectedVersion?
        if table == .sortedPosition {
            let version = try file.newest()
            _ = try version.rows(question, from: last, count: rowsOfPage)
            kept = version
        }
        let count = core.options.count ?? usualCount
        var generator = SeededGenerator(seed: core.seed &+ 100)
        var timer = BatchTimer(batchSize: 1, batches: count)
        for index in 0..<count {
            let from = table.isRandom ? generator.next(below: last + 1) : 0
            timer.beginBatch()
            let answer = try (kept ?? file.newest()).rows(
                question, from: from, count: rowsOfPage)
            timer.endBatch()
            try prove(answer, of: table, from: from, core)
            core.progress(fraction: Double(index + 1) / Double(count))
        }
        return timer
    }

    private struct Answer: Decodable {
        struct Row: Decodable { var cells: [String] }

        var count: Int
        var rows: [Row]
    }

    /// Compares an answer with what is certain whatever the writer has done.
    private static func prove(
        _ bytes: [UInt8], of table: Table, from: Int, _ core: CoreCase
    ) throws {
        let answer = try JSONDecoder().decode(Answer.self, from: Data(bytes))
        let all = table == .query ? answer.count : core.size
        var isRight = answer.count == all && answer.rows.count == min(rowsOfPage, all)
        let cells = answer.rows.map(\.cells)
        switch table {
        case .position: isRight = isRight && cells.first?[0] == "\(from)"
        case .sort, .sortedPosition:
            isRight = isRight && zip(cells, cells.dropFirst()).allSatisfy { $0[2] <= $1[2] }
        case .query:
            isRight = isRight && cells.allSatisfy { Int($0[3]) ?? .max < PassQuestion.youngAge }
        }
        guard isRight else {
            throw BenchmarkError(.caseFailed, "The rows from \(from) on are not those asked for.")
        }
    }
}
