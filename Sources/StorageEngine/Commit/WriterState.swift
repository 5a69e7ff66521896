/// What the writers of one process keep between transactions: the free map, as of a version.
struct WriterState {
    var freeSpace: FreeSpace?
    /// The version that `freeSpace` describes.
    var freeSpaceVersion: UInt64 = 0
    /// As of the last ``reclaim(visible:in:)``.
    private(set) var pinned = PinnedVersions()

    /// Brings the free map to `record`'s version: repeats the commits of other processes since, or
    /// starts from the checkpoint.
    mutating func catchUp(
        with record: CommitRecord?, in database: Database
    ) throws(StorageError) {
        do throws(StorageError) {
            try reach(record, in: database)
        } catch {
            freeSpace = nil
            throw error
        }
    }

    /// Makes free what no reader reaches any more and no crash leads back to. `visible` is the
    /// visible version, or was a moment ago.
    mutating func reclaim(visible: UInt64, in database: Database) throws(StorageError) {
        guard freeSpace!.waitingPages > 0 else { return }
        let limit = min(visible, database.coordinator.durableVersion)
        // After the limit is known: a pin that is missed now is on that version or a newer one.
        database.coordinator.collectPinnedVersions(into: &pinned.versions)
        guard freeSpace!.reclaim(through: limit, pinned: pinned) else {
            freeSpace = nil
            throw database.file.damage(0, "a page is free twice")
        }
    }

    private mutating func reach(
        _ record: CommitRecord?, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard let record else {
            if freeSpace != nil, freeSpaceVersion == 0 { return }
            freeSpace = FreeSpace(
                firstPage: file.firstPage, pageCount: try file.size() >> file.pageShift)
            freeSpaceVersion = 0
            return
        }
        if freeSpace != nil, freeSpaceVersion == record.version { return }
        let missed = record.version - min(freeSpaceVersion, record.version)
        if freeSpace != nil, freeSpaceVersion < record.version,
            missed <= CommitRecord.maximumCheckpointAge,
            try replay(through: record, in: database)
        {
            return
        }
        try loadCheckpoint(of: record, in: database)
        // Logs are checked against what is free, not against what waits: that is looked at once.
        guard try replay(through: record, in: database), freeSpace!.invariantsHold() else {
            throw damaged(record, in: database)
        }
    }

    /// False where a record is missing, has no log, or does not fit: the map is then undefined.
    private mutating func replay(
        through newest: CommitRecord, in database: Database
    ) throws(StorageError) -> Bool {
        guard let steps = try database.file.freeSpaceSteps(after: freeSpaceVersion, through: newest)
        else { return false }
        for step in steps {
            guard freeSpace!.replay(step) else { return false }
            freeSpaceVersion = step.version
        }
        return true
    }

    private mutating func loadCheckpoint(
        of record: CommitRecord, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard !record.checkpoint.isNone else {
            freeSpace = FreeSpace(firstPage: file.firstPage, pageCount: file.firstPage)
            freeSpaceVersion = 0
            return
        }
        try file.map(pageCount: record.pageCount)
        let chain = try CheckpointChain(
            newest: record.checkpoint, version: record.version, in: file)
        guard
            let map = chain.map(firstPage: file.firstPage, maximumPageCount: record.pageCount)
        else { throw damaged(record, in: database) }
        freeSpace = map
        freeSpaceVersion = record.checkpoint.birth
    }

    private func damaged(_ record: CommitRecord, in database: Database) -> StorageError {
        database.file.damage(
            record.checkpoint.page, "the map of free pages cannot be rebuilt from it")
    }
}

extension PageFile {
    /// What the records after `version` say of the free space; nil where one of them is missing, or
    /// has no log.
    func freeSpaceSteps(
        after version: UInt64, through newest: CommitRecord
    ) throws(StorageError) -> [FreeSpaceStep]? {
        var steps: [FreeSpaceStep] = []
        var last = version
        while last < newest.version {
            last += 1
            let record =
                last == newest.version
                ? newest : try readRecord(slot: CommitRecord.slot(of: last))
            guard let record, record.version == last, let step = record.freeSpaceStep
            else { return nil }
            steps.append(step)
        }
        return steps
    }
}
