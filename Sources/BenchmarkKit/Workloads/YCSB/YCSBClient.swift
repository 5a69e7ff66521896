import StorageEngine
import Synchronization
import ToolSupport

/// A part of a run, with operations back to back or at a target rate.
struct YCSBSlice: Sendable {
    /// The number of operations of each client; nil means until `seconds` have passed.
    var count: Int?
    var seconds: Double
    /// The operations a second of each client; nil means as fast as possible.
    var rate: Double?
    /// Whether the slice is measured; else it is a warm-up.
    var isMeasured = true
}

/// The result of one client in one slice.
struct YCSBSliceOutcome: Sendable {
    var operations = 0
    var interval: ClockInterval
    /// The time from the start of an operation to its end, if the slice has a rate.
    var service: LatencyRecorder?
    /// The time from the planned start of an operation to its end, if the slice has a rate. It
    /// includes the delay of an operation that started late because the one before took long, and
    /// so avoids coordinated omission (Tene, 2013).
    var intended: LatencyRecorder?

    /// Begins now.
    init() {
        let now = monotonicNanoseconds()
        interval = ClockInterval(start: now, end: now)
    }
}

/// A client thread of YCSB: it chooses operations, runs them and times each. Belongs to the thread
/// that created it.
final class YCSBClient {
    private let mix: YCSBMix
    private let seed: UInt64
    private let store: any RecordStore
    private let sequence: InsertSequence
    private var generator: SeededGenerator
    private var chooser: KeyChooser
    private var value = [UInt8](repeating: 0, count: YCSBRecord.fieldBytes)
    private var stamp: UInt64
    /// The writes of this client.
    private(set) var model: RecordModel
    private(set) var service = LatencyRecorder()
    private(set) var latencies: [YCSBOperation: LatencyRecorder] = [:]
    private(set) var writes = 0
    private(set) var payloadBytes = 0
    /// The sum of everything read, which is the same for every engine if one client works by count.
    private(set) var readSum: UInt64 = 0
    /// A function called about ten times a second while operations run.
    var sample: ((_ operations: Int) -> Void)?
    private let samplePeriod: UInt64 = 100_000_000

    /// Creates a client; `index` is its number, counted from 0.
    init(
        _ mix: YCSBMix, index: Int, records: Int, expectedInserts: Int, seed: UInt64,
        store: any RecordStore, sequence: InsertSequence
    ) {
        self.mix = mix
        self.seed = seed
        self.store = store
        self.sequence = sequence
        generator = SeededGenerator(seed: seed &+ UInt64(index))
        chooser = KeyChooser(
            mix.distribution, records: records, expectedInserts: expectedInserts)
        stamp = UInt64(index + 1) << 40
        model = RecordModel(records: records, seed: seed)
        for (operation, _) in mix.shares { latencies[operation] = LatencyRecorder() }
    }

    func run(_ slice: YCSBSlice) throws -> YCSBSliceOutcome {
        if let rate = slice.rate { return try run(slice, rate: rate) }
        var outcome = YCSBSliceOutcome()
        let deadline = outcome.interval.start + UInt64(slice.seconds * 1e9)
        var nextSample = outcome.interval.start + samplePeriod
        while slice.count.map({ outcome.operations < $0 }) ?? (outcome.interval.end < deadline) {
            outcome.interval.end = try perform(slice.isMeasured, dueAt: nil).end
            outcome.operations += 1
            if outcome.interval.end >= nextSample, let sample {
                sample(outcome.operations)
                nextSample = outcome.interval.end + samplePeriod
            }
        }
        return outcome
    }

    private func run(_ slice: YCSBSlice, rate: Double) throws -> YCSBSliceOutcome {
        var service = LatencyRecorder()
        var intended = LatencyRecorder()
        var outcome = YCSBSliceOutcome()
        let start = outcome.interval.start
        let deadline = start + UInt64(slice.seconds * 1e9)
        var nextSample = start + samplePeriod
        while true {
            let due = start + UInt64(Double(outcome.operations) * 1e9 / rate)
            // The schedule ends a slice by time. Operations that are due still run, however late,
            // unless the client is behind by more than the length of the slice.
            if let count = slice.count {
                if outcome.operations >= count { break }
            } else if due >= deadline || outcome.interval.end > deadline + (deadline - start) {
                break
            }
            let times = try perform(slice.isMeasured, dueAt: due)
            outcome.interval.end = times.end
            service.record(times.end - times.start)
            intended.record(times.end - due)
            outcome.operations += 1
            if times.end >= nextSample, let sample {
                sample(outcome.operations)
                nextSample = times.end + samplePeriod
            }
        }
        outcome.service = service
        outcome.intended = intended
        return outcome
    }

    // MARK: One operation

    /// Chooses an operation, waits until it is due, and runs it.
    private func perform(_ isMeasured: Bool, dueAt due: UInt64?) throws
        -> (start: UInt64, end: UInt64)
    {
        let operation = mix.next(using: &generator)
        let times =
            switch operation {
            case .insert: try insert(due)
            case .read, .scan: try readOrScan(operation, due)
            case .update, .readModifyWrite: try change(operation, due)
            }
        guard isMeasured else { return times }
        let elapsed = times.end - times.start
        service.record(elapsed)
        latencies[operation]!.record(elapsed)
        if operation.writes {
            writes += 1
            payloadBytes +=
                operation == .insert
                ? YCSBRecord.fieldBytes * YCSBRecord.fieldCount : YCSBRecord.fieldBytes
        }
        return times
    }

    private func readOrScan(_ operation: YCSBOperation, _ due: UInt64?) throws
        -> (start: UInt64, end: UInt64)
    {
        let record = chooser.next(below: sequence.stored, using: &generator)
        let key = YCSBRecord.key(record)
        let length = operation == .scan ? 1 + generator.next(below: YCSBMix.longestScan) : 0
        let start = Self.wait(until: due)
        let found =
            operation == .scan
            ? try store.scan(from: key, count: length) : try store.read(key)
        let end = PlantedDelay.end(of: start)
        guard let found else { throw missing(key) }
        readSum = mix64(readSum &+ UInt64(found))
        return (start, end)
    }

    private func change(_ operation: YCSBOperation, _ due: UInt64?) throws
        -> (start: UInt64, end: UInt64)
    {
        let record = chooser.next(below: sequence.stored, using: &generator)
        let key = YCSBRecord.key(record)
        let field = generator.next(below: YCSBRecord.fieldCount)
        stamp += 1
        YCSBRecord.fill(&value, record: record, field: field, stamp: stamp, seed: seed)
        let start = Self.wait(until: due)
        if operation == .update {
            try store.update(key, field: field, to: value)
        } else {
            try store.readModifyWrite(key, field: field, to: value)
        }
        let end = PlantedDelay.end(of: start)
        model.set(record, field: field, to: stamp)
        return (start, end)
    }

    private func insert(_ due: UInt64?) throws -> (start: UInt64, end: UInt64) {
        let record = sequence.take()
        stamp += 1
        let key = YCSBRecord.key(record)
        let fields = YCSBRecord.fields(record: record, stamp: stamp, seed: seed)
        let start = Self.wait(until: due)
        try store.insert(key, fields)
        let end = PlantedDelay.end(of: start)
        sequence.acknowledge(record)
        model.insert(record, stamp: stamp)
        return (start, end)
    }

    private static func wait(until due: UInt64?) -> UInt64 {
        due.map { OpenLoop.wait(until: $0) } ?? monotonicNanoseconds()
    }

    private func missing(_ key: String) -> BenchmarkError {
        BenchmarkError(.caseFailed, "There is no record with the key '\(key)'.")
    }
}
