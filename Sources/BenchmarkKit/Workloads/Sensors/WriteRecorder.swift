import StorageEngine
import Synchronization

/// The times of one transaction on the monotonic clock.
struct TransactionTimes {
    /// The time at which the writer took the readings.
    var taken: UInt64
    /// The time at which the transaction had begun.
    var begun: UInt64
    /// The time after the last change.
    var worked: UInt64
    /// The time at which the commit returned.
    var durable: UInt64
}

/// The record of the writers of a run: the order of their commits, all durations, and the first
/// failure.
final class WriteRecorder: Sendable {
    struct State: Codable {
        var queueWait = LatencyRecorder()
        var lockWait = LatencyRecorder()
        var work = LatencyRecorder()
        /// The time of commits, including syncs.
        var commit = LatencyRecorder()
        var sync = LatencyRecorder()
        /// The time from requesting the lock until durable, once for each reading.
        var latency = LatencyRecorder()
        /// The time from submission until durable.
        var total = LatencyRecorder()
        /// The time for which asking for an asynchronous write keeps the thread that asks.
        var asking = LatencyRecorder()
        var commits = 0
        /// The number of commits for which the engine reported a cost, and their pages below.
        var toldCommits = 0
        var pages = 0
        var operations = 0
        /// The number of committed operations, including those of the warm-up.
        var committed = 0
        var history: [CommitHistory]
        var shapes: [CommitShape] = []
        var allocations: Allocations?
        var failure: String?

        var histograms: [HistogramKind: HistogramData] {
            [
                .latency: latency, .queueWait: queueWait, .lockWait: lockWait, .work: work,
                .commit: commit, .sync: sync, .total: total,
            ].mapValues(\.distribution).filter { !$0.value.isEmpty }
        }
    }

    /// The allocations of one operation.
    struct Allocations: Codable {
        var count: Double
        var bytes: Double
    }

    private let state: Locked<State>
    private let isMeasuringFlag = Atomic<Bool>(false)
    private let hasFailedFlag = Atomic<Bool>(false)
    private let committedCount = Atomic<Int>(0)
    /// Whether the shape of every commit is recorded for a control.
    let recordsShapes: Bool

    init(sensors: Int, recordsShapes: Bool) {
        state = Locked(State(history: Array(repeating: CommitHistory(), count: sensors)))
        self.recordsShapes = recordsShapes
    }

    var hasFailed: Bool { hasFailedFlag.load(ordering: .relaxed) }
    var isMeasuring: Bool { isMeasuringFlag.load(ordering: .relaxed) }
    /// The number of readings committed since the start, for the progress.
    var committed: Int { committedCount.load(ordering: .relaxed) }

    func beginMeasuring() { isMeasuringFlag.store(true, ordering: .relaxed) }

    /// Records the order of the readings. Called inside the transaction, where the write lock makes
    /// the order of these calls the order of the commits.
    func ordered(_ readings: some Sequence<ProducedReading>) {
        state.withLock { state in
            for reading in readings {
                state.history[reading.sensor].append(reading.sequence)
            }
        }
    }

    /// Records a transaction after its commit returned.
    func finished(
        _ readings: some Collection<ProducedReading>, times: TransactionTimes,
        cost: CommitCost?, shape: CommitShape?
    ) {
        committedCount.add(readings.count, ordering: .relaxed)
        state.withLock { state in
            state.committed += readings.count
            guard isMeasuring else { return }
            state.commits += 1
            state.operations += readings.count
            state.lockWait.record(times.begun - times.taken)
            state.work.record(times.worked - times.begun)
            state.commit.record(times.durable - times.worked)
            if let cost {
                state.toldCommits += 1
                state.sync.record(cost.syncNanoseconds)
                state.pages += cost.pages
            }
            state.latency.record(times.durable - times.taken, count: UInt64(readings.count))
            for reading in readings {
                state.queueWait.record(times.taken - min(times.taken, reading.submittedAt))
                state.total.record(times.durable - min(times.taken, reading.submittedAt))
            }
            if let shape { state.shapes.append(shape) }
        }
    }

    /// Records how long asking for an asynchronous write took.
    func asked(_ nanoseconds: UInt64) {
        if isMeasuring { state.withLock { $0.asking.record(nanoseconds) } }
    }

    func record(allocations: (allocations: Double, bytes: Double)) {
        state.withLock {
            $0.allocations = Allocations(count: allocations.allocations, bytes: allocations.bytes)
        }
    }

    /// Records a failure; only the first one is reported.
    func fail(_ error: any Error) {
        hasFailedFlag.store(true, ordering: .relaxed)
        state.withLock { if $0.failure == nil { $0.failure = String(describing: error) } }
    }

    /// Returns the shapes recorded since the last call.
    func takeShapes() -> [CommitShape] {
        state.withLock { state in
            defer { state.shapes.removeAll(keepingCapacity: true) }
            return state.shapes
        }
    }

    func snapshot() -> State { state.withLock { $0 } }
}

extension WriteRecorder.State {
    /// Adds the measurements of another process, without its history, which concerns its own
    /// sensors.
    mutating func add(_ other: Self) {
        queueWait.add(other.queueWait)
        lockWait.add(other.lockWait)
        work.add(other.work)
        commit.add(other.commit)
        sync.add(other.sync)
        asking.add(other.asking)
        latency.add(other.latency)
        total.add(other.total)
        commits += other.commits
        toldCommits += other.toldCommits
        pages += other.pages
        allocations = Self.allocations(of: self, and: other)
        operations += other.operations
        committed += other.committed
        failure = failure ?? other.failure
    }

    /// Returns the average allocations of both sides, weighted by operations. Nil if a side with
    /// operations has no counts.
    private static func allocations(of one: Self, and other: Self) -> WriteRecorder.Allocations? {
        if one.operations == 0 { return other.allocations }
        if other.operations == 0 { return one.allocations }
        guard let own = one.allocations, let others = other.allocations else { return nil }
        let share = Double(one.operations) / Double(one.operations + other.operations)
        return WriteRecorder.Allocations(
            count: own.count * share + others.count * (1 - share),
            bytes: own.bytes * share + others.bytes * (1 - share))
    }
}

/// The last readings of one sensor in commit order, which the file has to hold.
struct CommitHistory: Codable, Sendable {
    private var ring: [Int] = []
    private var next = 0

    mutating func append(_ sequence: Int) {
        if ring.count < SensorAccount.capacity {
            ring.append(sequence)
        } else {
            ring[next] = sequence
            next = (next + 1) % SensorAccount.capacity
        }
    }

    /// The kept sequence numbers, oldest first.
    var kept: [Int] { Array(ring[next...] + ring[..<next]) }
}
