import Benchmark
import Foundation

/// Times are shown. What is counted repeats exactly and has thresholds in `Thresholds`;
/// `REALM_MICRO_COUNTED=1` measures that alone.
let isCountedOnly = ProcessInfo.processInfo.environment["REALM_MICRO_COUNTED"] != nil

let benchmarks: @Sendable () -> Void = {
    nodeBenchmarks()
    databaseBenchmarks()
    scanBenchmarks()
    objectBenchmarks()
}

/// What is counted. Thresholds are found by name alone, so smaller is better for all of them.
enum Counted {
    static let bytesUsed = BenchmarkMetric.custom("bytes used")
    /// Bytes of a full page for each row, in thousandths.
    static let milliBytesPerRow = BenchmarkMetric.custom("bytes a row / 1000")
    static let pagesWritten = BenchmarkMetric.custom("pages written")
    static let bytesWritten = BenchmarkMetric.custom("bytes written")
    static let writeCalls = BenchmarkMetric.custom("write calls")
    static let fileBytes = BenchmarkMetric.custom("file bytes")
    static let liveBytes = BenchmarkMetric.custom("live bytes")
}

/// A benchmark of `counted` and time. A failure inside ends the program with its error.
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
