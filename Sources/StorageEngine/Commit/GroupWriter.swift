import Glibc

/// What one commit cost.
public struct CommitStatistics: Sendable, Equatable {
    /// The version that the transaction became, or the one it was based on if it changed nothing.
    public var version: UInt64
    /// Pages written, without the commit record. These and the following are 0 for a transaction
    /// that another thread wrote together with its own.
    public var pages = 0
    /// Bytes written, with the commit record.
    public var bytes = 0
    public var writeCalls = 0
    public var syncs = 0
    public var syncNanoseconds: UInt64 = 0
}

/// Steps 3 to 8 of the commit protocol (`docs/design.md`): brings a group to the disk.
struct GroupWriter {
    let database: Database

    private var file: PageFile { database.file }
    private var coordinator: Coordinator { database.coordinator }

    /// Writes the group, makes it durable, and publishes its version. Only for whoever took it.
    func write(_ group: CommitGroup) throws(StorageError) -> CommitStatistics {
        var record = group.record
        var statistics = CommitStatistics(version: record.version)
        let runs = group.sortedPages().map { page in
            let buffer = group.page(page)!
            return RunImage(
                page: page, buffer: buffer,
                byteCount: PageHeader(buffer).pageCount << Int(file.pageShift))
        }
        try file.checkSize(pageCount: record.pageCount)
        for run in runs { assertIsValid(run) }
        let hash = try file.seal(runs) { part throws(StorageError) in
            try write(part, &statistics)
        }
        if !record.pagesWereSynced { record.pageListHash = hash }
        if record.pagesWereSynced, !planted(.syncsLargeCommitsOnce) {
            try syncAllBefore(record, &statistics)
        }
        let unsynced = record.sequence - 1 - coordinator.durableSequence
        if unsynced >= CommitRecord.maximumUnsynced, !planted(.reusesUnsyncedSlots) {
            try syncAllBefore(record, &statistics)
        }
        // In this order: the version is not newer than the sequence number's.
        let floorVersion = coordinator.durableVersion
        record.durableFloor = coordinator.durableSequence
        if planted(.raisesDurableFloor) { record.durableFloor = record.sequence - 1 }
        let reusable = record.durableFloor == record.sequence - 1 ? record.version : floorVersion
        try write(record, &statistics)
        if planted(.publishesBeforeSync) {
            coordinator.publishVisible(version: record.version, sequence: record.sequence)
        }
        if group.sync == .beforeReturning { try sync(&statistics) }
        file.adopt(runs)
        database.rememberRecord(record)
        if group.sync == .beforeReturning {
            coordinator.publish(version: record.version, sequence: record.sequence)
            coordinator.publishReusable(version: reusable)
        } else {
            coordinator.publishVisible(version: record.version, sequence: record.sequence)
            database.backgroundSync.note(
                record, reusable: reusable, holdsMuch: group.sync == .soon)
        }
        return statistics
    }

    /// Lets other processes write if nothing is under way in this one.
    func didFinishGroup() {
        coordinator.releaseProcessLock(ifIdle: { database.commits.isEmpty })
    }

    // MARK: 3 and 4. Seal and write

    /// What this process writes, it must be able to read.
    private func assertIsValid(_ run: RunImage) {
        assert(
            {
                guard let kind = PageHeader(run.buffer).kind else { return false }
                let bytes = UnsafeRawBufferPointer(start: run.buffer, count: run.byteCount)
                return kind != .node || Node.problem(ofStored: bytes) == nil
            }(), "an invalid page is about to be written")
    }

    private func write(
        _ runs: ArraySlice<RunImage>, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        var stretch: [iovec] = []
        var start: UInt64 = 0
        var end: UInt64 = 0
        for run in runs {
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
        if case .failure(let error) = result, !planted(.ignoresFailedWrites) {
            throw file.failure(error, .write)
        }
    }

    // MARK: 6. Record

    private func write(
        _ record: CommitRecord, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        let slot = CommitRecord.slot(of: record.sequence)
        do {
            statistics.writeCalls += 1
            statistics.bytes += CommitRecord.size
            try file.write(record)
        } catch {
            // Some or all of it may have been written, and it may vouch for pages that it does not
            // list: it must be gone, durably, before those pages are written again.
            do throws(StorageError) {
                try file.clearSlot(slot)
                try file.sync()
            } catch {
                coordinator.poison()
            }
            throw error
        }
    }

    // MARK: 5 and 7. Sync

    /// Makes durable what was written so far: the pages of `record`, which is to be written, and all
    /// versions before it.
    private func syncAllBefore(
        _ record: CommitRecord, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        try sync(&statistics)
        coordinator.publishDurable(
            version: coordinator.visibleVersion, sequence: record.sequence - 1)
        database.backgroundSync.publishNoted()
    }

    private func sync(_ statistics: inout CommitStatistics) throws(StorageError) {
        if file.isInMemory || planted(.skipsSync) { return }
        let start = System.monotonicNanoseconds
        do {
            try file.sync()
        } catch {
            if planted(.retriesFailedSync), (try? file.sync()) != nil { return }
            coordinator.poison()
            throw error
        }
        statistics.syncs += 1
        statistics.syncNanoseconds += System.monotonicNanoseconds - start
    }
}
