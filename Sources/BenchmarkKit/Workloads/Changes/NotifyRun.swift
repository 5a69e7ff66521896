import ToolSupport

/// A run of `notify`: commits one after the other, each once all observers were told of the one
/// before and have gone back to sleep.
struct NotifyRun {
    private let core: CoreCase
    private let file: PersonsFile
    private let way: NotifyWorkload.Way
    /// How many persons a commit changes.
    private let changes: Int
    private let observers: Int
    private let count: Int

    init(_ core: CoreCase, _ file: PersonsFile, _ way: NotifyWorkload.Way) throws {
        self.core = core
        self.file = file
        self.way = way
        changes = core.options.changes ?? way.changes
        observers = core.options.observers ?? way.observers
        // The largest transactions and audiences take about a tenth of a second each.
        count = core.options.count ?? max(20, min(1000, 100_000 / max(changes, observers)))
        guard changes <= core.size else {
            throw BenchmarkError(
                .usage, "\(changes) changes need at least as many persons, not \(core.size).")
        }
    }

    func run() throws -> CaseOutcome {
        let store = try file.open(core)
        core.progress(fraction: 0)
        let board = NoticeBoard(observers: observers)
        let receiver = makeReceiver(store, board)
        try receiver.start()
        var plan = ChangePlan(core, file, changes: changes)
        for _ in 0..<min(20, count) {
            board.expect(plan.next())
            try store.setAges(of: plan.numbers, to: plan.age)
            _ = try receiver.wait()
            try receiver.rest()
        }
        board.beStrict()
        var measured = Measured(core, count: count)
        let schedule = core.options.rate.map { OpenLoop(rate: $0) }
        for index in 0..<count {
            board.expect(plan.next())
            let due = schedule?.due(index)
            if let due { OpenLoop.wait(until: due) }
            try measured.commit(
                { try store.setAges(of: plan.numbers, to: plan.age) }, told: receiver.wait,
                dueAt: due, in: schedule)
            measured.note(store.lastCommit)
            try receiver.rest()
            core.progress(fraction: Double(index + 1) / Double(count))
        }
        var results = [measured.result(of: core, changes: changes, observers: observers)]
        if core.hasControls, schedule == nil, let control = try receiver.control() {
            results.append(BarePipe.result(control, beside: core.benchmarkCase))
        }
        try receiver.stop()
        results[0].fill(try store.size())
        let contents = plan.oracle.contents()
        results[0].digest = contents.digest
        var histograms = [HistogramKind.latency: measured.latency.distribution]
        if schedule != nil { histograms[.total] = measured.intended.distribution }
        return try CaseOutcome(
            results: results, histograms: histograms,
            verification: core.expectation(contents, file.layout))
    }

    private func makeReceiver(
        _ store: any PersonStore, _ board: NoticeBoard
    ) -> any ChangeReceiver {
        switch way.place {
        case .sameThread: SameThreadReceiver(store, board, refreshes: false)
        case .refresh: SameThreadReceiver(store, board, refreshes: true)
        case .queue: QueueReceiver(store, board, way.matter)
        case .thread: ThreadReceiver({ [core, file] in try file.open(core) }, board)
        case .actor: ActorReceiver(core, board)
        case .process: ProcessReceiver(core, board)
        }
    }
}

/// What the commits of a run change: consecutive persons at a random place, who are all given one
/// age.
private struct ChangePlan {
    private(set) var oracle: PersonsOracle
    private(set) var numbers = 0..<0
    private(set) var age = 0
    private var generator: SeededGenerator
    private let changes: Int

    init(_ core: CoreCase, _ file: PersonsFile, changes: Int) {
        oracle = file.fixture(of: core).oracle()
        generator = SeededGenerator(seed: core.seed &+ 5)
        self.changes = changes
    }

    /// Goes on to the next commit, and returns what observers are to be told of it.
    mutating func next() -> NoticeBoard.Expected {
        let first = generator.next(below: oracle.size - changes + 1)
        age = generator.next(below: 100)
        // The first person always changes, so that what is told shows whether it is of this commit.
        if oracle.age(of: first) == age { age = (age + 1) % 100 }
        numbers = first..<first + changes
        var different = 0
        for number in numbers {
            if oracle.age(of: number) != age { different += 1 }
            oracle.setAge(of: number, to: age)
        }
        return NoticeBoard.Expected(numbers: numbers, age: age, changes: different...changes)
    }
}

/// What the commits of a run cost. The latency is the time after their return. An engine may call
/// observers before that; so the rate is that of the whole way, from the beginning of a transaction
/// until all were told.
private struct Measured {
    private(set) var latency = LatencyRecorder()
    /// The times from when commits were due until all were told, in an open loop.
    private(set) var intended = LatencyRecorder()
    private var firstTold = LatencyRecorder()
    private var whole = LatencyRecorder()
    private var writes = LatencyRecorder()
    private var rates: [Double] = []
    private var allocations: AllocationMeasurement
    private var io: IOMeasurement
    private var pages: Int? = 0
    private var elapsed: UInt64 = 0

    init(_ core: CoreCase, count: Int) {
        rates.reserveCapacity(count)
        allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        io = IOMeasurement(core.engine)
    }

    /// Measures one commit, and its way to the observers. Allocations are those of this thread.
    mutating func commit(
        _ write: () throws -> Void, told: () throws -> (first: UInt64, last: UInt64),
        dueAt due: UInt64?, in schedule: OpenLoop?
    ) throws {
        var (begun, returned) = (UInt64(0), UInt64(0))
        // The allocation counters run inside the region, because entering and leaving a region
        // counts the threads, which allocates.
        let times = try MeasuredRegion.run {
            io.resume()
            allocations.resume()
            begun = monotonicNanoseconds()
            try write()
            returned = monotonicNanoseconds()
            let times = try told()
            allocations.pause()
            io.pause()
            return times
        }
        latency.record(difference(times.last, returned))
        firstTold.record(difference(times.first, returned))
        writes.record(returned - begun)
        let way = max(1, difference(times.last, begun))
        whole.record(way)
        guard let schedule, let due else {
            rates.append(1e9 / Double(way))
            elapsed += way
            return
        }
        // In an open loop, the time between two commits counts as well.
        let former = elapsed
        elapsed = difference(times.last, schedule.start)
        rates.append(1e9 / Double(max(1, difference(elapsed, former))))
        intended.record(difference(times.last, due))
    }

    mutating func note(_ cost: CommitCost?) {
        if let cost { pages? += cost.pages } else { pages = nil }
    }

    mutating func result(of core: CoreCase, changes: Int, observers: Int) -> CaseResult {
        let count = Int(latency.count)
        var result = CaseResult(core.benchmarkCase)
        result.batchSize = changes
        result.operations = count
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        // Not among the counted metrics: which thread asks the observers depends on which is
        // faster.
        if let allocated = allocations.finish(operations: count) {
            result.measure("allocations_per_commit", allocated.allocations)
        }
        result.fill(io, commits: count, pages: pages, logicalBytes: count * changes * 8)
        result.measure("observers", Double(observers))
        result.measure("write_p50_us", writes.percentile(50))
        result.measure(NotifyWorkload.told, whole.percentile(50))
        if result.offeredRate != nil { result.fill(intended: intended) }
        if observers > 1 { result.measure("first_told_p50_us", firstTold.percentile(50)) }
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return result
    }
}
