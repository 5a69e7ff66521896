/// What the writers of one process keep between transactions: the free map, as of a version.
struct WriterState {
    var freeSpace: FreeSpace?
    /// The version that `freeSpace` describes.
    var freeSpaceVersion: UInt64 = 0
    /// The sequence number of that version's record.
    var freeSpaceSequence: UInt64 = 0

    /// Brings the free map to `record`'s version: repeats the commits of other processes since, or
    /// starts from the checkpoint. Returns the numbers of free and waiting pages.
    @discardableResult
    mutating func catchUp(
        with record: CommitRecord?, in database: Database
    ) throws(StorageError) -> (free: UInt64, waiting: UInt64) {
        do throws(StorageError) {
            try reach(record, in: database)
        } catch {
            freeSpace = nil
            throw error
        }
        return (freeSpace!.freePages, freeSpace!.waitingPages)
    }

    private mutating func reach(
        _ record: CommitRecord?, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard let record else {
            if freeSpace != nil, freeSpaceVersion == 0 { return }
            freeSpace = FreeSpace(
                firstPage: file.firstPage, pageCount: try file.size() >> file.pageShift)
            (freeSpaceVersion, freeSpaceSequence) = (0, 0)
            return
        }
        if freeSpace != nil, freeSpaceVersion == record.version { return }
        let missed = record.sequence - min(freeSpaceSequence, record.sequence)
        if freeSpace != nil, freeSpaceSequence < record.sequence,
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
        while freeSpaceSequence < newest.sequence {
            let sequence = freeSpaceSequence + 1
            let record =
                sequence == newest.sequence
                ? newest : try database.file.readRecord(slot: CommitRecord.slot(of: sequence))
            guard let record, record.sequence == sequence, record.version > freeSpaceVersion,
                let log = record.log,
                freeSpace!.replay(
                    log, version: record.version, pageCount: record.pageCount,
                    livePages: record.livePages)
            else { return false }
            (freeSpaceVersion, freeSpaceSequence) = (record.version, sequence)
        }
        return true
    }

    private mutating func loadCheckpoint(
        of record: CommitRecord, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard !record.checkpoint.isNone else {
            freeSpace = FreeSpace(firstPage: file.firstPage, pageCount: file.firstPage)
            (freeSpaceVersion, freeSpaceSequence) = (0, 0)
            return
        }
        try file.map(pageCount: record.pageCount)
        let start = try file.page(record.checkpoint, version: record.version)
        guard let bytes = file.contents(at: start, kind: .freeSpaceCheckpoint),
            let map = FreeSpace(
                checkpoint: bytes, version: record.checkpoint.birth, firstPage: file.firstPage,
                maximumPageCount: record.pageCount)
        else { throw damaged(record, in: database) }
        freeSpace = map
        (freeSpaceVersion, freeSpaceSequence) =
            (record.checkpoint.birth, record.checkpointSequence)
    }

    private func damaged(_ record: CommitRecord, in database: Database) -> StorageError {
        database.file.damage(
            record.checkpoint.page, "the map of free pages cannot be rebuilt from it")
    }
}
