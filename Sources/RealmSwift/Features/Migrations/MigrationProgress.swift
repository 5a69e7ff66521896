import StorageEngine

/// Tells once a second how far the enumeration of a class is, in the log.
struct MigrationProgress {
    private static let interval: UInt64 = 1_000_000_000

    private let name: String
    private let count: Int
    private var lastTime = System.monotonicNanoseconds

    init(of name: String, count: Int) {
        self.name = name
        self.count = count
    }

    mutating func note(_ position: Int) {
        let now = System.monotonicNanoseconds
        if now - lastTime < Self.interval { return }
        lastTime = now
        Logger.note(.info, "Migrating '\(name)': \(position) of \(count) objects")
    }
}
