import Foundation
import StorageEngine
import ToolSupport

/// One reading on its way from the producer to the database.
public struct ProducedReading: Sendable {
    /// The position of its sensor in `ReadingFeed.sensors`.
    public var sensor: Int
    /// The number of the reading, counted from 0 for each sensor.
    public var sequence: Int
    /// The time of the reading in seconds since 1970, UTC.
    public var time: Double
    public var value: Double
    public var payload: Data
    /// The moment at which the producer submitted it, on the monotonic clock.
    var submittedAt: UInt64 = 0
}

/// The source of the readings of a run: a recording that is replayed repeatedly, or seeded random
/// values. It returns one reading at a time to any number of producers and keeps account of them.
final class ReadingFeed: Sendable {
    enum Source: Sendable {
        case recording(Recording)
        case synthetic
    }

    let sensors: [SensorDescription]
    let payloadBytes: Int
    private let entries: [Recording.Entry]
    private let span: Double
    private let seed: UInt64
    private let state: Locked<State>

    private struct State {
        var position = 0
        var round = 0
        var remaining: Int
        var generator: SeededGenerator
        var produced: [SensorAccount]
    }

    /// Creates a feed of at most `limit` readings; nil means no limit.
    init(source: Source, sensors count: Int?, payloadBytes: Int, seed: UInt64, limit: Int?) {
        self.payloadBytes = payloadBytes
        self.seed = seed
        switch source {
        case .recording(let recording):
            let sized = recording.withSensors(count ?? recording.sensors.count)
            sensors = sized.sensors
            entries = sized.entries
            span = recording.span
        case .synthetic:
            sensors = (1...(count ?? 5)).map {
                SensorDescription(
                    identifier: "synthetic-\($0)", city: "Nowhere", parameter: "random")
            }
            // The entries hold the times of the first round; their values are drawn when readings
            // are taken.
            entries = sensors.indices.map {
                Recording.Entry(sensor: $0, time: 1_546_300_800, value: .nan)
            }
            span = 3600
        }
        state = Locked(
            State(
                remaining: limit ?? .max, generator: SeededGenerator(seed: seed),
                produced: Array(repeating: SensorAccount(), count: sensors.count)))
    }

    /// The bytes that the readings to replay take.
    var residentBytes: Int { entries.count * MemoryLayout<Recording.Entry>.stride }

    /// Returns the next reading of a sensor for which `isWanted` is true and skips the others; nil
    /// once the limit is reached.
    func next(where isWanted: (Int) -> Bool) -> ProducedReading? {
        while let taken = take() {
            if isWanted(taken.entry.sensor) { return reading(taken) }
        }
        return nil
    }

    /// Returns the next reading; nil once the limit is reached.
    func next() -> ProducedReading? { take().map(reading) }

    private typealias Taken = (entry: Recording.Entry, round: Int, sequence: Int)

    private func take() -> Taken? {
        state.withLock { state in
            guard state.remaining > 0 else { return nil }
            state.remaining -= 1
            var entry = entries[state.position]
            if entry.value.isNaN { entry.value = state.generator.nextUnit() * 100 }
            let round = state.round
            state.position += 1
            if state.position == entries.count {
                state.position = 0
                state.round += 1
            }
            let sequence = state.produced[entry.sensor].written
            state.produced[entry.sensor].add(sequence: sequence)
            return (entry, round, sequence)
        }
    }

    private func reading(_ taken: Taken) -> ProducedReading {
        let (entry, round, sequence) = taken
        return ProducedReading(
            sensor: entry.sensor, sequence: sequence, time: entry.time + Double(round) * span,
            value: entry.value, payload: payload(sensor: entry.sensor, sequence: sequence))
    }

    /// Returns the account of the readings taken so far, by sensor.
    func produced() -> [SensorAccount] { state.withLock { $0.produced } }

    private func payload(sensor: Int, sequence: Int) -> Data {
        guard payloadBytes > 0 else { return Data() }
        let own = mix64(seed ^ mix64(UInt64(sensor) << 40 ^ UInt64(sequence)))
        var generator = SeededGenerator(seed: own)
        var bytes = Data(capacity: payloadBytes)
        while bytes.count < payloadBytes {
            withUnsafeBytes(of: generator.next().littleEndian) {
                bytes.append(contentsOf: $0.prefix(payloadBytes - bytes.count))
            }
        }
        return bytes
    }
}

/// The number of readings of a sensor and a checksum of their sequence numbers. The checksum is the
/// wrapping sum of the mixed numbers and does not depend on their order.
public struct SensorAccount: Codable, Equatable, Sendable {
    /// The number of readings that a sensor keeps; older ones are deleted.
    public static let capacity = 10_000

    public var written = 0
    /// The checksum as a signed integer, which a `Sensor` object can store.
    public var checksum = 0

    public init(written: Int = 0, checksum: Int = 0) {
        self.written = written
        self.checksum = checksum
    }

    public mutating func add(sequence: Int) {
        written += 1
        checksum &+= Self.term(sequence)
    }

    static func term(_ sequence: Int) -> Int {
        Int(Int64(bitPattern: mix64(UInt64(bitPattern: Int64(sequence)) &+ 1)))
    }
}
