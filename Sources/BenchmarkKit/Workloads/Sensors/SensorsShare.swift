import Foundation
import Glibc
import ToolSupport

/// The work of one of several processes that write to the same file: it writes the readings of its
/// own sensors on its main thread, one transaction each.
///
/// The process talks to its parent in lines. It prints `ready`, waits for a line that starts it,
/// reports from time to time how many readings it has committed, and leaves its report in a file.
struct SensorsShare {
    struct Request: Codable {
        var benchmarkCase: BenchmarkCase
        /// The folder of the database.
        var directory: String
        /// The number of this process, counted from 0.
        var number: Int
        var processes: Int
        /// The path of the report.
        var reportPath: String
    }

    /// The report of one process.
    struct Report: Codable {
        var state: WriteRecorder.State
        var counted: IOCounters
        var costs: ProcessCosts
        /// The larger number of threads of the process at the two ends of the measurement.
        var threadsMax: Int
        var peakResidentBytes: Int
        var interval: ClockInterval
        /// The accounts of all sensors; only those of the process's own sensors are valid.
        var produced: [SensorAccount]
    }

    private let request: Request
    private let allocations: AllocationProbe?

    init(_ request: Request, allocations: AllocationProbe?) {
        self.request = request
        self.allocations = allocations
    }

    /// Returns the process that writes the readings of a sensor. With one process for each sensor,
    /// the order of its commits is the order of its readings.
    static func owner(ofSensor sensor: Int, among processes: Int) -> Int { sensor % processes }

    func run() throws {
        let setup = try SensorsSetup(request.benchmarkCase, directory: request.directory)
        let environment = setup.environment(
            try setup.openStore(), allocations: allocations)
        let strategy = CurrentThreadStrategy(environment)
        let sink = try strategy.makeSink()
        ProcessStatus.resetPeakResidentBytes()
        Self.say("ready")
        // Without the starting line, another process failed.
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
        let peakResidentBytes = setup.peakResidentBytes()
        sink.finish()
        try JSONMessage.write(
            Report(
                state: environment.recorder.snapshot(), counted: counted, costs: costs,
                threadsMax: threadsMax, peakResidentBytes: peakResidentBytes,
                interval: ClockInterval(start: start, end: end),
                produced: setup.feed.produced()),
            to: request.reportPath)
    }

    private func produce(
        _ setup: SensorsSetup, _ environment: WriterEnvironment, _ sink: any ReadingSink,
        seconds: Double?
    ) {
        let start = monotonicNanoseconds()
        let deadline = seconds.map { start + UInt64($0 * 1e9) }
        var lastSaid = start
        let schedule = setup.options.rate.map {
            OpenLoop(rate: $0 / Double(request.processes), start: start)
        }
        var number = 0
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
            guard var own else { return }
            if let due = schedule?.due(number) {
                number += 1
                if let deadline, due >= deadline { return }
                OpenLoop.wait(until: due)
                own.submittedAt = due
            }
            sink.submit(own)
        }
    }

    private static func say(_ line: String) { Terminal.write(line + "\n", to: STDOUT_FILENO) }
}
