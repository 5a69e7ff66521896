import Glibc

/// What one commit cost.
public struct CommitStatistics: Sendable, Equatable {
    /// The version that the transaction became, or the one it was based on if it changed nothing.
    public var version: UInt64
    /// Pages written, without the commit record.
    public var pages = 0
    /// Bytes written, with the commit record.
    public var bytes = 0
    public var writeCalls = 0
    public var syncs = 0
    public var syncNanoseconds: UInt64 = 0
}

/// The commit protocol.
///
/// 1. Freeze: list the transaction's runs; decide between free-space log and checkpoint.
/// 2. Seal: fill in the checksums.
/// 3. Write the runs, each contiguous stretch with one call, to pages that no version since the
///    durable floor uses (invariant I1).
/// 4. If they are more than a record can vouch for, sync: the record then says so.
/// 5. Write the commit record into slot `version mod 32`.
/// 6. Sync.
/// 7. Publish the version.
/// 8. Drop the private copies; what was freed waits under the new version.
///
/// Interrupted before 5: the record of the version before is the newest, and nothing points at
/// what was written. Between 5 and 7 without a loss of power: nobody was told; the next writer
/// clears the slot before it writes anything. Loss of power between 5 and 6: record or pages may be
/// torn; recovery checks both and takes the version before.
///
/// A failure in 1 to 3 rolls back. So does one in 5, after the slot was cleared. After a failed
/// sync nobody knows what is on disk: the file is poisoned for all writers of all processes.
extension Pager {
    /// More than this is synced before the record is written, instead of being listed in it: so
    /// recovery never reads more than this to check a commit.
    static let largestListedBytes: UInt64 = 1 << 20

    /// Makes the transaction a version, durable when this returns; the connection then reads it.
    /// A transaction without changes becomes no version. After an error it is rolled back.
    ///
    /// - Throws: `.outOfDiskSpace`, `.fileAccess`, `.damaged` when the file was cut outside of this
    ///   library; `.outcomeUnknown` when a sync failed; what ``transactionFailure`` says.
    public func commit() throws(StorageError) -> CommitStatistics {
        precondition(isInWriteTransaction)
        if let transactionFailure {
            rollback()
            throw transactionFailure
        }
        var statistics = CommitStatistics(version: version)
        if database.writerState.freeSpace!.isTransactionEmpty {
            precondition(root == record?.root ?? .none, "a new root without a new page")
            endWriting()
            return statistics
        }
        let newRecord: CommitRecord
        do throws(StorageError) {
            var frozen = try freeze()
            seal(&frozen)
            newRecord = frozen.record
            try file.checkSize(pageCount: newRecord.pageCount)
            try write(frozen, &statistics)
            if newRecord.pagesWereSynced { try sync(&statistics) }
            try writeRecord(newRecord, &statistics)
            try sync(&statistics)
            markWritten(frozen)
        } catch {
            rollback()
            throw error
        }
        if let (writer, changes) = changesToRecord {
            database.changeLog.append(
                RecordedTransaction(
                    version: newRecord.version, writer: writer, changes: changes))
        }
        publish(newRecord)
        statistics.version = newRecord.version
        endWriting()
        return statistics
    }

    /// A transaction that changes no more.
    private struct FrozenTransaction {
        var runs: [Run]
        var record: CommitRecord
    }

    private struct Run {
        var page: UInt64
        var buffer: UnsafeMutableRawPointer
        var byteCount: Int
    }

    // MARK: 1. Freeze

    private func freeze() throws(StorageError) -> FrozenTransaction {
        let base = record
        var checkpoint = base?.checkpoint ?? .none
        var log = database.writerState.freeSpace!.log()
        var isListed = isListable(log)
        let age = writeVersion - checkpoint.birth
        if age > CommitRecord.maximumCheckpointAge
            || !CommitRecord.fits(pageList: isListed ? log.allocated : [], log: log)
        {
            checkpoint = try writeCheckpoint(replacing: checkpoint)
            log = database.writerState.freeSpace!.log()
            isListed =
                isListable(log) && CommitRecord.fits(pageList: log.allocated, log: nil)
        }
        let list = isListed ? log.allocated : []
        database.writerState.freeSpace!.checkInvariants()
        assertPagesAreUnused()
        let space = database.writerState.freeSpace!
        let newRecord = CommitRecord(
            version: writeVersion, commitID: .random(in: 0 ... .max),
            durableFloor: min(database.coordinator.durableVersion, version),
            pageCount: space.pageCount, root: root, livePages: space.livePagesAfterCommit,
            checkpoint: checkpoint, pageList: list, pageListHash: 0, pagesWereSynced: !isListed,
            log: CommitRecord.fits(pageList: list, log: log) ? log : nil)
        let runs = dirty.sortedPages().map { page in
            let buffer = dirty[page]!
            return Run(
                page: page, buffer: buffer,
                byteCount: PageHeader(buffer).pageCount * pageSize)
        }
        return FrozenTransaction(runs: runs, record: newRecord)
    }

    private func isListable(_ log: FreeSpaceLog) -> Bool {
        let pages = log.allocated.reduce(0) { $0 + $1.count }
        return file.offset(of: pages) <= Self.largestListedBytes
    }

    /// Writes the free map as it will be after this commit. Its own pages come from the map, so its
    /// size is found first, with room for what allocating them can add: at most two extents change.
    private func writeCheckpoint(
        replacing old: PageReference
    ) throws(StorageError) -> PageReference {
        if !old.isNone { try free(old) }
        var room = 8 * VariableLengthInteger.maximumByteCount
        while true {
            let needed = database.writerState.freeSpace!
                .encodeCheckpoint(version: writeVersion).count
            let pages = (PageHeader.size + needed + room + pageSize - 1) / pageSize
            let (reference, buffer) = try allocate(pages: pages, kind: .freeSpaceCheckpoint)
            let bytes = database.writerState.freeSpace!.encodeCheckpoint(version: writeVersion)
            if bytes.count <= pages * pageSize - PageHeader.size {
                MutablePageHeader(buffer).lowKey = Int64(bytes.count)
                (buffer + PageHeader.size).copyMemory(from: bytes, byteCount: bytes.count)
                return reference
            }
            try free(reference)
            room += bytes.count
        }
    }

    /// Invariant I1, as far as the free map can tell: space is free only once the version that
    /// freed it is durable and no reader is below it. Readers were looked at when the transaction
    /// began. Looking again would say less: one that is just pinning may show an older version for
    /// a moment.
    private func assertPagesAreUnused() {
        assert(
            {
                let released = database.writerState.freeSpace!.releasedThrough
                return released == releasedAtBegin
                    && released <= database.coordinator.durableVersion
            }(), "space was released that a reader, or the durable version, may reach")
    }

    // MARK: 2. Seal

    private func seal(_ frozen: inout FrozenTransaction) {
        var hash = PageListHash()
        for run in frozen.runs {
            let bytes = UnsafeMutableRawBufferPointer(start: run.buffer, count: run.byteCount)
            assertIsValid(bytes)
            hash.combine(
                PageHeader.seal(bytes, pageNumber: run.page, fileSeed: file.fileSeed))
        }
        if !frozen.record.pagesWereSynced { frozen.record.pageListHash = hash.value }
    }

    /// What this process writes, it must be able to read.
    private func assertIsValid(_ bytes: UnsafeMutableRawBufferPointer) {
        assert(
            {
                let header = PageHeader(UnsafeRawPointer(bytes.baseAddress!))
                guard header.birth == writeVersion, let kind = header.kind else { return false }
                return kind != .node || Node.problem(in: UnsafeRawBufferPointer(bytes)) == nil
            }(), "an invalid page is about to be written")
    }

    // MARK: 3. Write

    private func write(
        _ frozen: FrozenTransaction, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        var stretch: [iovec] = []
        var start: UInt64 = 0
        var end: UInt64 = 0
        for run in frozen.runs {
            if run.page != end || stretch.count == System.maximumBuffers {
                try writeStretch(stretch, at: start, &statistics)
                stretch.removeAll(keepingCapacity: true)
                start = run.page
                end = run.page
            }
            // Buffers that lie one behind the other in memory as in the file are one buffer.
            if let last = stretch.last, last.iov_base + last.iov_len == run.buffer {
                stretch[stretch.count - 1].iov_len += run.byteCount
            } else {
                stretch.append(iovec(iov_base: run.buffer, iov_len: run.byteCount))
            }
            end += UInt64(run.byteCount) >> file.pageShift
            statistics.pages += run.byteCount >> Int(file.pageShift)
            statistics.bytes += run.byteCount
        }
        try writeStretch(stretch, at: start, &statistics)
    }

    private func writeStretch(
        _ stretch: [iovec], at page: UInt64, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        guard !stretch.isEmpty else { return }
        statistics.writeCalls += 1
        let result = stretch.withUnsafeBufferPointer { buffers in
            Result { () throws(SystemFailure) in
                try System.write(file.descriptor, buffers, at: file.offset(of: page))
            }
        }
        if case .failure(let error) = result { throw file.failure(error, .write) }
    }

    // MARK: 5. Record

    private func writeRecord(
        _ newRecord: CommitRecord, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        let slot = CommitRecord.slot(of: newRecord.version)
        do {
            statistics.writeCalls += 1
            statistics.bytes += CommitRecord.size
            try file.write(
                newRecord.encode(fileSeed: file.fileSeed), at: PageFile.offset(ofSlot: slot))
        } catch {
            // Some or all of it may have been written, and it may vouch for pages that it does not
            // list: it must be gone, durably, before those pages are written again.
            do throws(StorageError) {
                try file.clearSlot(slot)
                try file.sync()
            } catch {
                database.coordinator.poison()
            }
            throw error
        }
    }

    // MARK: 4 and 6. Sync

    private func sync(_ statistics: inout CommitStatistics) throws(StorageError) {
        if file.isInMemory { return }
        let start = System.monotonicNanoseconds
        do {
            try file.sync()
        } catch {
            database.coordinator.poison()
            throw error
        }
        statistics.syncs += 1
        statistics.syncNanoseconds += System.monotonicNanoseconds - start
    }

    // MARK: 7 and 8. Publish

    /// What this process has just written needs no check when it is read.
    private func markWritten(_ frozen: FrozenTransaction) {
        for run in frozen.runs {
            file.markChecked(PageReference(page: run.page, birth: writeVersion))
        }
    }

    private func publish(_ newRecord: CommitRecord) {
        database.writerState.freeSpace!.finishCommit(version: newRecord.version)
        database.writerState.freeSpaceVersion = newRecord.version
        database.writerState.freeSpace!.checkInvariants()
        database.rememberRecord(newRecord)
        database.coordinator.publish(version: newRecord.version)
        moveToCommitted(newRecord)
    }
}
