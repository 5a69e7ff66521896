import BenchmarkKit

/// The databases that are measured beside the embedded one.
public enum PeerEngines {
    public static let all: [any BenchmarkEngine] = [
        SQLiteEngine(), GRDBEngine(), LMDBEngine(), RocksEngine(),
    ]
}
