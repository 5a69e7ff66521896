/// What is free in the file of a database.
extension Database {
    /// A copy of the newest version's free space, in which is free what no reader reaches any more.
    /// Nil where that cannot be told: the map is damaged, or others commit so fast that a process
    /// which must not lock them out cannot read it.
    ///
    /// Takes the write lock for a moment, unless the file is open for reading only.
    func freeSpace() throws(StorageError) -> FreeSpace? {
        guard isReadOnly else { return try withFreeMap { map, _ in map.space } }
        for _ in 0..<Self.attemptsToRead {
            guard let record = try records.newestRecord() else { return nil }
            do throws(StorageError) {
                var space = try FreeMap.read(of: record, in: file).space
                var pinned = PinnedVersions()
                coordinator.collectPinnedVersions(into: &pinned.versions)
                _ = coordinator.addVersionsOfRecovery(to: &pinned.versions)
                if space.reclaim(through: record.version, pinned: pinned) { return space }
            } catch {
                // Its pages may have been written over, once there were newer versions.
                guard error.code == .damaged else { throw error }
            }
        }
        return nil
    }

    private static let attemptsToRead = 3
}
