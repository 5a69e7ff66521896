/// What a Sensors file must hold after a run. Written down by the process that produced the
/// readings, checked by a fresh one that only knows this and the file.
struct SensorsExpectation: Codable, Sendable {
    struct ExpectedSensor: Codable, Sendable {
        var identifier: String
        /// Of all readings that were produced.
        var account: SensorAccount
        /// Sequence numbers of the kept readings in commit order.
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

    /// Of the sensors' names, counts and checksums.
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

    /// Every difference between the file and this, in sentences; empty if there is none.
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

    /// Compares one sensor with what was produced.
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
