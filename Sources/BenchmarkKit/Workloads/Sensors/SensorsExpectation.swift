import ToolSupport

/// The expected contents of a Sensors file after a run. The process that produced the readings
/// records it, and a fresh process that knows only this and the file checks it.
struct SensorsExpectation: ContentsExpectation {
    struct ExpectedSensor: Codable, Sendable {
        var identifier: String
        /// The account of all readings produced for the sensor.
        var account: SensorAccount
        /// The sequence numbers of the kept readings in commit order.
        var kept: [Int]
    }

    var path: String
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    var sensors: [ExpectedSensor]

    init(
        _ benchmarkCase: BenchmarkCase, path: String, sensors: [SensorDescription],
        produced: [SensorAccount], history: [CommitHistory]
    ) throws {
        let engine = try benchmarkCase.engine()
        self.path = path
        self.engine = engine.name
        layer = engine.layer
        durability = benchmarkCase.identifier.durability
        self.sensors = sensors.indices.map {
            ExpectedSensor(
                identifier: sensors[$0].identifier, account: produced[$0],
                kept: history[$0].kept)
        }
    }

    /// Returns the digest of the sensors' names, counts and checksums.
    static func digest(_ sensors: [SensorDescription], _ accounts: [SensorAccount]) -> ResultDigest
    {
        var digest = ResultDigest()
        for (sensor, account) in zip(sensors, accounts) {
            var row = ResultDigest.Row()
            row.combine(sensor.identifier.utf8)
            row.combine(account.written)
            row.combine(account.checksum)
            digest.add(row)
        }
        return digest
    }

    /// Returns every difference between the file and this expectation, one sentence each.
    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer)'.")
        }
        let store = try engine.openSensors(at: path, durability)
        let stored = try store.contents()
        var problems: [String] = []
        if stored.count != sensors.count {
            problems.append("The file has \(stored.count) sensors instead of \(sensors.count).")
        }
        let found = Dictionary(stored.map { ($0.identifier, $0) }) { first, _ in first }
        for expected in sensors {
            guard let sensor = found[expected.identifier] else {
                problems.append("The sensor '\(expected.identifier)' is missing.")
                continue
            }
            problems += Self.differences(
                name: expected.identifier, expected: expected, account: sensor.account,
                kept: sensor.kept)
        }
        return try problems + store.problems()
    }

    /// Compares the stored state of one sensor with the readings produced.
    static func differences(
        name: String, expected: ExpectedSensor, account: SensorAccount, kept: [Int]
    ) -> [String] {
        var problems: [String] = []
        if account.written != expected.account.written {
            problems.append(
                "The sensor '\(name)' counts \(account.written) readings; "
                    + "\(expected.account.written) were produced.")
        }
        if account.checksum != expected.account.checksum {
            problems.append("The checksum of the sensor '\(name)' is not that of its readings.")
        }
        let size = min(expected.account.written, SensorAccount.capacity)
        if kept.count != size || expected.kept.count != size {
            problems.append("The sensor '\(name)' keeps \(kept.count) readings instead of \(size).")
        }
        if let position = zip(kept, expected.kept).enumerated().first(where: { $1.0 != $1.1 })?
            .offset
        {
            problems.append(
                "The sensor '\(name)' has reading \(kept[position]) at position \(position) "
                    + "where \(expected.kept[position]) was committed.")
        }
        return problems
    }
}
