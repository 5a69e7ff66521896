/// The workloads A to F of the Yahoo! Cloud Serving Benchmark (Cooper et al., 2010, "Benchmarking
/// cloud serving systems with YCSB"), on records of 1 KB.
protocol YCSBWorkload: Workload {
    static var mix: YCSBMix { get }
}

extension YCSBWorkload {
    static var summary: String { "YCSB: \(mix.summary)" }

    static var strategies: [(name: String, summary: String)] {
        [
            (name: "api", summary: "through objects, as fast as it goes"),
            (name: "engine", summary: "through the storage, as fast as it goes"),
            (name: "api-rate", summary: "through objects; the highest rate with p99 under 1 ms"),
            (
                name: "engine-rate",
                summary: "through the storage; the highest rate with p99 under 1 ms"
            ),
        ]
    }

    static var defaultSize: Int { 100_000 }

    static func layer(of strategy: String) -> String {
        strategy.hasSuffix("-rate") ? String(strategy.dropLast(5)) : strategy
    }

    static func features(of strategy: String) -> [EngineFeature]? {
        mix.share(of: .scan) > 0 ? [.records, .recordScans] : [.records]
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try YCSBRun(mix, benchmarkCase, environment).run()
    }
}

enum YCSBWorkloadA: YCSBWorkload {
    static let name = "ycsb-a"
    static let mix = YCSBMix.a
}

enum YCSBWorkloadB: YCSBWorkload {
    static let name = "ycsb-b"
    static let mix = YCSBMix.b
}

enum YCSBWorkloadC: YCSBWorkload {
    static let name = "ycsb-c"
    static let mix = YCSBMix.c
}

enum YCSBWorkloadD: YCSBWorkload {
    static let name = "ycsb-d"
    static let mix = YCSBMix.d
}

enum YCSBWorkloadE: YCSBWorkload {
    static let name = "ycsb-e"
    static let mix = YCSBMix.e
}

enum YCSBWorkloadF: YCSBWorkload {
    static let name = "ycsb-f"
    static let mix = YCSBMix.f
}
