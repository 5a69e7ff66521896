import Benchmark
import StorageEngine

let benchmarks: @Sendable () -> Void = {
    Benchmark("checksum of a page") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(1) }
    }
}
