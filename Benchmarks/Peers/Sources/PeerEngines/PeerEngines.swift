import BenchmarkKit

/// The databases that are compared with the embedded one, some in several configurations.
public enum PeerEngines {
    public static let all: [any BenchmarkEngine] = [
        SQLiteEngine(), SQLiteEngine(isExclusive: true), GRDBEngine(), LMDBEngine(),
        LMDBEngine(writesMap: true), RocksEngine(), RocksEngine(writing: .pipelined),
        RocksEngine(writing: .unordered), DuckDBEngine(), DuckDBEngine(threads: 2),
    ]
}
