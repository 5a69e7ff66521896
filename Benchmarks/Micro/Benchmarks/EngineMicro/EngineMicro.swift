import Benchmark
import Foundation

/// Whether only counted metrics are measured (`REALM_MICRO_COUNTED=1`). They repeat exactly and
/// have thresholds in `Thresholds`; times are only shown.
let isCountedOnly = ProcessInfo.processInfo.environment["REALM_MICRO_COUNTED"] != nil

let benchmarks: @Sendable () -> Void = {
    nodeBenchmarks()
    databaseBenchmarks()
    scanBenchmarks()
    objectBenchmarks()
}

/// The counted metrics. Thresholds are assigned by name only, so smaller has to be better for all.
enum Counted {
    static let bytesUsed = BenchmarkMetric.custom("bytes used")
    /// The bytes of a full page divided by its rows, in thousandths of a byte.
    static let milliBytesPerRow = BenchmarkMetric.custom("bytes a row / 1000")
    static let pagesWritten = BenchmarkMetric.custom("pages written")
    static let bytesWritten = BenchmarkMetric.custom("bytes written")
    static let writeCalls = BenchmarkMetric.custom("write calls")
    static let fileBytes = BenchmarkMetric.custom("file bytes")
    static let liveBytes = BenchmarkMetric.custom("live bytes")
}

/// Registers a benchmark of `counted` and, unless only counts are measured, of time. An error ends
/// the program.
func measure(
    _ name: String, counted: [BenchmarkMetric] = [],
    _ body: @escaping (Benchmark) throws -> Void
) {
    if isCountedOnly, counted.isEmpty { return }
    Benchmark(
        name,
        configuration: .init(
            metrics: isCountedOnly ? counted : counted + [.wallClock],
            warmupIterations: 1,
            maxDuration: .milliseconds(500), maxIterations: isCountedOnly ? 3 : 1000)
    ) { benchmark in
        try body(benchmark)
    }
}
