import Synchronization

/// A database that a process may open only once.
protocol ClosableDatabase: AnyObject, Sendable {
    /// Closes the database; called once, after its last use.
    func close()
}

/// Databases by path, each opened by its first lease and closed with the last one.
final class SharedDatabases<Database: ClosableDatabase>: Sendable {
    private struct Entry {
        let database: Database
        var leases: Int
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Returns a lease. `open` is called only if the path is not open; `open` and `close` never run
    /// concurrently.
    func lease(_ path: String, open: () throws -> Database) throws -> Lease {
        let database = try entries.withLock { entries in
            var entry = try entries[path] ?? Entry(database: open(), leases: 0)
            entry.leases += 1
            entries[path] = entry
            return entry.database
        }
        return Lease(database, path, self)
    }

    private func giveBack(_ path: String) {
        entries.withLock { entries in
            guard var entry = entries[path] else { return }
            entry.leases -= 1
            entries[path] = entry.leases == 0 ? nil : entry
            if entry.leases == 0 { entry.database.close() }
        }
    }

    /// The right to use a database, returned at deinitialization.
    final class Lease: Sendable {
        let database: Database
        private let path: String
        private let owner: SharedDatabases

        init(_ database: Database, _ path: String, _ owner: SharedDatabases) {
            self.database = database
            self.path = path
            self.owner = owner
        }

        deinit { owner.giveBack(path) }
    }
}
