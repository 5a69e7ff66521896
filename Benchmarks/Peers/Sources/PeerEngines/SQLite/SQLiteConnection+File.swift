import BenchmarkKit

extension SQLiteConnection {
    /// Copies the database with `VACUUM INTO` into a new file without free pages.
    func copy(to path: String) throws {
        try endReading()
        let vacuum = try prepare("VACUUM INTO ?1")
        try vacuum.withText(path, at: 1) { try vacuum.run() }
    }

    /// Returns the size of the file and its log. The shared-memory file is excluded: it is an index
    /// of the log that is never synced and can be rebuilt.
    func size() throws -> StoreSize {
        let pageSize = try integer("PRAGMA page_size")
        let pages = try integer("PRAGMA page_count")
        let free = try integer("PRAGMA freelist_count")
        return StoreSize(
            fileBytes: FileBytes.length(of: path) + FileBytes.length(of: path + "-wal"),
            liveBytes: (pages - free) * pageSize, freeBytes: free * pageSize)
    }

    func problems() throws -> [String] {
        let check = try prepare("PRAGMA integrity_check")
        var problems: [String] = []
        while try check.step() {
            let line = check.text(0)
            if line != "ok" { problems.append("SQLite says: \(line).") }
        }
        return problems
    }
}
