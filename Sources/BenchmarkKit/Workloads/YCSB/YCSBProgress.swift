import ToolSupport

/// The progress of a run with one client, sampled on the client's own thread.
struct YCSBProgress {
    private let path: String
    private let options: CaseOptions
    private let environment: CaseEnvironment
    private var began: UInt64 = 0
    private(set) var points: [TimelinePoint] = []

    init(path: String, options: CaseOptions, _ environment: CaseEnvironment) {
        self.path = path
        self.options = options
        self.environment = environment
    }

    var rates: [Double] { RunSampler.rates(of: points) }

    mutating func start() {
        began = monotonicNanoseconds()
        sample(0)
    }

    mutating func sample(_ operations: Int) {
        let elapsed = seconds(from: began, to: monotonicNanoseconds())
        let point = TimelinePoint(
            elapsed: elapsed, operations: operations, fileBytes: storedBytes(at: path),
            residentBytes: ProcessStatus.residentBytes())
        points.append(point)
        let fraction =
            options.count.map { Double(operations) / Double($0) } ?? elapsed / options.seconds
        environment.progress(
            ProgressUpdate(
                phase: "running", fraction: min(1, fraction),
                secondsLeft: fraction > 0 ? max(0, elapsed * (1 - fraction) / fraction) : nil,
                operationsPerSecond: RunSampler.rates(of: Array(points.suffix(2))).last))
    }
}
