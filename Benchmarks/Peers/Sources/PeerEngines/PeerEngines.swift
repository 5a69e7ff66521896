import BenchmarkKit

/// The databases that are compared with the embedded one.
public enum PeerEngines {
    public static let all: [any BenchmarkEngine] = [
        SQLiteEngine(), GRDBEngine(), LMDBEngine(), RocksEngine(),
    ]
}
