import Foundation
import Glibc
import StorageEngine
import ToolSupport

/// The strategy `processes`: several processes of this program write to the same file, one
/// transaction a reading. Every sensor belongs to one process, so that the order of its commits is
/// known.
struct ProcessesRun {
    static let strategy = "processes"
    static let summary =
        "--threads processes write to the same file, one transaction a reading (2 by default)"

    private let setup: SensorsSetup
    private let caseEnvironment: CaseEnvironment
    private let store: any SensorStore
    private let count: Int

    init(_ benchmarkCase: BenchmarkCase, _ caseEnvironment: CaseEnvironment) throws {
        setup = try SensorsSetup(benchmarkCase, directory: caseEnvironment.directory)
        self.caseEnvironment = caseEnvironment
        count = benchmarkCase.options.threads
        let sensors = setup.feed.sensors.count
        guard count <= sensors else {
            throw BenchmarkError(
                .usage,
                "\(count) processes need at least as many sensors, and there are \(sensors): "
                    + "use --sensors \(count) or --threads \(sensors).")
        }
        store = try setup.openStore()
    }

    func run() throws -> CaseOutcome {
        try store.create(setup.feed.sensors)
        let writers = try (0..<count).map { try start($0) }
        let talks = WriterTalks(with: writers.map(\.process))
        guard talks.waitUntilReady() else {
            // A writer ended early and reported why; the others end when their input is closed.
            for writer in writers { try? writer.input.fileHandleForWriting.close() }
            throw failure(try talks.waitUntilEnded())
        }
        let options = setup.options
        let sampler = RunSampler(
            path: setup.path,
            expectedSeconds: options.count == nil ? options.warmup + options.seconds : nil,
            expectedOperations: options.count, progress: caseEnvironment.progress
        ) { talks.committed }
        // If a writer dies now, its ending is reported; a SIGPIPE would end this process.
        signal(SIGPIPE, SIG_IGN)
        for writer in writers { try? writer.input.fileHandleForWriting.write(contentsOf: [10]) }
        let endings = try talks.waitUntilEnded()
        let course = sampler.stop()
        guard endings.allSatisfy(\.isSuccess) else { throw failure(endings) }
        caseEnvironment.progress(ProgressUpdate(phase: "closing"))
        let reports = try (0..<count).map {
            try JSONMessage.read(SensorsShare.Report.self, from: reportPath($0))
        }
        return try setup.outcome(merged(reports, course.points), store)
    }

    // MARK: Writers

    private func reportPath(_ number: Int) -> String {
        "\(caseEnvironment.directory)/writer-\(number)-report.json"
    }

    private func start(_ number: Int) throws -> (process: CaseProcess, input: Pipe) {
        let directory = caseEnvironment.directory
        let request = "\(directory)/writer-\(number).json"
        try JSONMessage.write(
            SensorsShare.Request(
                benchmarkCase: setup.benchmarkCase, directory: directory, number: number,
                processes: count, reportPath: reportPath(number)), to: request)
        let input = Pipe()
        let process = try CaseProcess(
            verb: CaseVerb.writeSensors, argument: request,
            environment: setup.benchmarkCase.processEnvironment, input: input)
        return (process, input)
    }

    private func failure(_ endings: [CaseProcess.Ending]) -> BenchmarkError {
        let failed = endings.first { !$0.isSuccess }
        return BenchmarkError(
            .caseFailed, "A writing process failed: \(failed?.reason ?? "it ended too early.")")
    }

    /// Returns the merged measurement of all writers, from the first start to the last end.
    private func merged(_ reports: [SensorsShare.Report], _ points: [TimelinePoint])
        -> SensorsMeasurement
    {
        var merged = SensorsMeasurement(state: reports[0].state)
        for report in reports.dropFirst() { merged.state.add(report.state) }
        for report in reports {
            merged.counted.add(report.counted)
            merged.costs.add(report.costs)
        }
        merged.threadsMax = reports.reduce(0) { $0 + $1.threadsMax }
        merged.peakResidentBytes = reports.reduce(0) { $0 + $1.peakResidentBytes }
        let interval = ClockInterval.covering(reports.map(\.interval))
        merged.elapsedNanoseconds = interval.map { $0.end - $0.start } ?? 0
        merged.timeline = points
        merged.rates = RunSampler.rates(of: points.filter { $0.elapsed >= setup.options.warmup })
        for sensor in setup.feed.sensors.indices {
            let owner = reports[SensorsShare.owner(ofSensor: sensor, among: count)]
            merged.produced.append(owner.produced[sensor])
            merged.state.history[sensor] = owner.state.history[sensor]
        }
        return merged
    }
}

/// The listeners to the writing processes, each on a thread of its own.
private final class WriterTalks: Sendable {
    private struct State {
        var ready = 0
        var committed: [Int]
    }

    private let state: Locked<State>
    private let listeners: [BackgroundThread<CaseProcess.Ending>]

    init(with processes: [CaseProcess]) {
        let state = Locked(State(committed: Array(repeating: 0, count: processes.count)))
        self.state = state
        listeners = processes.enumerated().map { number, process in
            BackgroundThread(name: "listener-\(number)") { _ in
                process.wait { line in
                    state.withLock { state in
                        if line == "ready" { state.ready += 1 }
                        if let committed = Int(line) { state.committed[number] = committed }
                    }
                }
            }
        }
    }

    var committed: Int { state.withLock { $0.committed.reduce(0, +) } }

    /// Waits until all writers are ready; false if one ended instead.
    func waitUntilReady() -> Bool {
        while true {
            // Asked first, since a writer is ready before it ends.
            let hasEnded = listeners.contains(where: \.isDone)
            let isReady = state.withLock { $0.ready } == listeners.count
            if isReady || hasEnded { return isReady }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    func waitUntilEnded() throws -> [CaseProcess.Ending] { try listeners.map { try $0.wait() } }
}
