extension Workload {
    /// A workload of the Yahoo! Cloud Serving Benchmark (Cooper et al., 2010, "Benchmarking cloud
    /// serving systems with YCSB"), on records of 1 KB.
    static func ycsb(_ name: String, _ mix: YCSBMix) -> Workload {
        let features: [EngineFeature] =
            [.records, .severalStores] + (mix.share(of: .scan) > 0 ? [.recordScans] : [])
        let ways = [
            ("api", "through objects, as fast as it goes"),
            ("engine", "through the storage, as fast as it goes"),
            ("api-rate", "through objects; the highest rate with p99 under 1 ms"),
            ("engine-rate", "through the storage; the highest rate with p99 under 1 ms"),
        ]
        return Workload(
            name: name, summary: "YCSB: \(mix.summary)",
            strategies: ways.map { name, summary in
                let searches = name.hasSuffix("-rate")
                return Strategy(
                    name: name, summary: summary,
                    layer: searches ? String(name.dropLast(5)) : name, features: features,
                    furtherOptions: searches ? [] : [.rate])
            }, defaultSize: 100_000,
            options: [.size, .count, .seconds, .seed, .threads, .warmup],
            isDeterministic: Workload.never
        ) { try YCSBRun(mix, $0, $1).run() }
    }
}
