import StorageEngine

/// Tells once a second how far a migration is in a class, in the log.
final class MigrationProgress {
    private static let interval: UInt64 = 1_000_000_000

    private var lastTime = System.monotonicNanoseconds

    func note(_ name: String, _ position: Int, of count: Int) {
        let now = System.monotonicNanoseconds
        if now - lastTime < Self.interval { return }
        lastTime = now
        Logger.note(.info, "Migrating '\(name)': \(position) of \(count) objects")
    }
}
