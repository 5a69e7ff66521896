import ToolSupport

/// The setup of every run of the sensors: the engine, its file and the source of the readings.
struct SensorsSetup {
    let benchmarkCase: BenchmarkCase
    let engine: any BenchmarkEngine
    let path: String
    let feed: ReadingFeed

    var options: CaseOptions { benchmarkCase.options }

    /// Creates the setup; `directory` is the folder of the file.
    init(_ benchmarkCase: BenchmarkCase, directory: String) throws {
        self.benchmarkCase = benchmarkCase
        engine = try benchmarkCase.engine()
        path = directory + "/sensors." + engine.name
        let options = benchmarkCase.options
        let prepared = try PreparedRecording.load(from: directory)
        feed = ReadingFeed(
            source: try prepared.map { .recording($0) } ?? SensorsWorkload.source(of: options),
            sensors: options.sensors,
            payloadBytes: options.payload, seed: options.seed, limit: options.count)
    }

    /// Returns the peak memory of the process without the readings that it replays.
    func peakResidentBytes() -> Int {
        max(0, ProcessStatus.peakResidentBytes() - feed.residentBytes)
    }

    func openStore() throws -> any SensorStore {
        try engine.openSensors(at: path, benchmarkCase.identifier.durability)
    }

    /// Returns the environment of the writers, with a store opened by `openStore`.
    func environment(
        _ store: any SensorStore, batchSize: Int = 1, recordsShapes: Bool = false,
        allocations: AllocationProbe? = nil
    ) -> WriterEnvironment {
        WriterEnvironment(
            engine: engine, store: store, sensors: feed.sensors, batchSize: batchSize,
            recorder: WriteRecorder(sensors: feed.sensors.count, recordsShapes: recordsShapes),
            // The capacity is at least four batches, so that a buffer which waits for its last
            // reading never blocks the producer.
            gate: InFlightGate(capacity: max(1024, 4 * options.batchSize)), allocations: allocations
        )
    }
}
