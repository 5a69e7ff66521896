import StorageEngine

/// Tells once a second in the log how far a migration is in a class, or the making of an index.
final class MigrationProgress {
    private static let interval: UInt64 = 1_000_000_000

    private var lastTime = System.monotonicNanoseconds

    func note(_ name: String, _ position: Int, of count: Int) {
        note(name, position, of: count, doing: "Migrating")
    }

    func noteIndexing(_ name: String, _ position: Int, of count: Int) {
        note(name, position, of: count, doing: "Indexing")
    }

    private func note(_ name: String, _ position: Int, of count: Int, doing action: String) {
        let now = System.monotonicNanoseconds
        if now - lastTime < Self.interval { return }
        lastTime = now
        Logger.note(.info, "\(action) '\(name)': \(position) of \(count) objects")
    }
}
