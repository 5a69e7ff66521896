import Foundation
import Glibc

/// What one of several processes does that write to the same file: it writes the readings of its
/// own sensors, one transaction each, on its main thread.
///
/// The conversation with the process that started it, in lines: it says `ready`, is told to go by
/// a line, says now and then how many readings it has committed, and leaves its report.
struct SensorsShare {
    struct Request: Codable {
        var benchmarkCase: BenchmarkCase
        /// Where the database is.
        var directory: String
        /// Of this process, counted from 0.
        var number: Int
        var processes: Int
        /// Where the report goes.
        var reportPath: String
    }

    /// What came of it.
    struct Report: Codable {
        var state: WriteRecorder.State
        var counted: IOCounters
        var costs: ProcessCosts
        /// Of the process, at the ends of what was measured.
        var threadsMax: Int
        var peakResidentBytes: Int
        /// On the monotonic clock, which all processes share.
        var start: UInt64
        var end: UInt64
        /// Of all sensors; those of others mean nothing.
        var produced: [SensorAccount]
    }

    private let request: Request
    private let allocations: AllocationProbe?

    init(_ request: Request, allocations: AllocationProbe?) {
        self.request = request
        self.allocations = allocations
    }

    /// The process that writes the readings of a sensor. One process a sensor: so its order of
    /// commits is the order of the sensor's readings.
    static func owner(ofSensor sensor: Int, among processes: Int) -> Int { sensor % processes }

    func run() throws {
        let setup = try SensorsSetup(request.benchmarkCase, directory: request.directory)
        let environment = setup.environment(
            try setup.openStore(), allocations: allocations)
        let strategy = CurrentThreadStrategy(environment)
        let sink = try strategy.makeSink()
        Self.say("ready")
        // Without that line, another process failed.
        guard readLine() != nil else { return }
        let options = setup.options
        if options.warmup > 0 { produce(setup, environment, sink, seconds: options.warmup) }
        environment.recorder.beginMeasuring()
        let before = setup.engine.counters
        var costs = ProcessCosts()
        let threadsAtStart = ProcessStatus.threadCount()
        costs.resume()
        let start = monotonicNanoseconds()
        produce(
            setup, environment, sink, seconds: options.count == nil ? options.seconds : nil)
        let end = monotonicNanoseconds()
        costs.pause()
        let counted = setup.engine.counters - before
        let threadsMax = max(threadsAtStart, ProcessStatus.threadCount())
        let peakResidentBytes = ProcessStatus.peakResidentBytes()
        sink.finish()
        try CaseRunner.write(
            Report(
                state: environment.recorder.snapshot(), counted: counted, costs: costs,
                threadsMax: threadsMax, peakResidentBytes: peakResidentBytes, start: start,
                end: end, produced: setup.feed.produced()),
            to: request.reportPath)
    }

    private func produce(
        _ setup: SensorsSetup, _ environment: WriterEnvironment, _ sink: any ReadingSink,
        seconds: Double?
    ) {
        let start = monotonicNanoseconds()
        let deadline = seconds.map { start + UInt64($0 * 1e9) }
        var lastSaid = start
        while !environment.recorder.hasFailed {
            let now = monotonicNanoseconds()
            if let deadline, now >= deadline { return }
            if now - lastSaid > 100_000_000 {
                Self.say(String(environment.recorder.committed))
                lastSaid = now
            }
            let own = setup.feed.next {
                Self.owner(ofSensor: $0, among: request.processes) == request.number
            }
            guard let own else { return }
            sink.submit(own)
        }
    }

    private static func say(_ line: String) { Terminal.write(line + "\n", to: STDOUT_FILENO) }
}
