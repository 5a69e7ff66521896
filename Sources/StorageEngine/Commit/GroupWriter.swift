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
        var reusable: UInt64 = 0
        let runs = group.sortedPages().map { page in
            let buffer = group.page(page)!
            return RunImage(
                page: page, buffer: buffer,
                byteCount: PageHeader(buffer).pageCount << Int(file.pageShift))
        }
        try file.checkSize(pageCount: record.pageCount)
        for run in runs { assertIsValid(run) }
        let isAmongPages = record.place.isPage
        let hash = try file.seal(runs) { part, hash throws(StorageError) in
            guard isAmongPages, let hash else { return try write(part, &statistics) }
            reusable = try write(part, with: &record, hash, &statistics)
        }
        if !isAmongPages {
            if group.sync == .withLaterGroup {
                file.beginWriteback()
            } else if record.pagesWereSynced, !planted(.syncsLargeCommitsOnce) {
                try syncAllBefore(record, &statistics)
            }
            reusable = try write([], with: &record, hash, &statistics)
        }
        if planted(.publishesBeforeSync) {
            publishVisible(record)
        }
        if group.sync == .beforeReturning { try sync(&statistics) }
        file.adopt(runs)
        database.rememberRecord(record)
        if group.sync == .beforeReturning {
            coordinator.publish(
                version: record.version, sequence: record.sequence, recordPage: record.place.page)
            coordinator.publishReusable(version: reusable)
        } else {
            publishVisible(record)
            if group.sync != .withLaterGroup {
                database.backgroundSync.note(
                    record, reusable: reusable, holdsMuch: group.sync == .soon)
            }
        }
        return statistics
    }

    private func publishVisible(_ record: CommitRecord) {
        coordinator.publishVisible(
            version: record.version, sequence: record.sequence, recordPage: record.place.page)
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

    /// Writes the record, with the runs behind it in the same call if it is among the pages. Returns what
    /// may be reused once it is durable. `hash`: of all pages of the group.
    private func write(
        _ runs: ArraySlice<RunImage>, with record: inout CommitRecord, _ hash: UInt64,
        _ statistics: inout CommitStatistics
    ) throws(StorageError) -> UInt64 {
        if !record.pagesWereSynced { record.pageListHash = hash }
        try makeRoom(for: record, &statistics)
        let reusable = raiseFloor(of: &record)
        do {
            try write(runs, with: record, &statistics)
        } catch {
            // All of it may have been written, and it may vouch for pages that it does not list: it
            // must be gone, durably, before those pages are written again.
            do throws(StorageError) {
                if try file.readRecord(at: record.place)?.commitID == record.commitID {
                    try file.clearRecord(at: record.place)
                    try file.sync()
                }
            } catch {
                coordinator.poison()
            }
            throw error
        }
        return reusable
    }

    private func write(
        _ runs: ArraySlice<RunImage>, with record: CommitRecord,
        _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        var block = file.block(of: record)
        guard case .page(let page) = record.place else {
            statistics.writeCalls += 1
            statistics.bytes += CommitRecord.size
            return try file.write(recordBlock: block, at: record.place)
        }
        let result = block.withUnsafeMutableBytes { bytes in
            let image = RunImage(
                page: page, buffer: bytes.baseAddress!, byteCount: CommitRecord.size)
            var images: [RunImage] = []
            images.reserveCapacity(runs.count + 1)
            images += runs
            images.insert(image, at: images.firstIndex { $0.page > page } ?? images.endIndex)
            return Result { () throws(StorageError) in try write(images[...], &statistics) }
        }
        try result.get()
        statistics.pages -= 1
    }

    /// Makes what waits for a sync durable if it is so many records that the slot of a durable one would
    /// be next.
    private func makeRoom(
        for record: CommitRecord, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        let unsynced = record.sequence - 1 - coordinator.durableSequence
        if unsynced >= CommitRecord.maximumUnsynced, !planted(.reusesUnsyncedSlots) {
            try syncAllBefore(record, &statistics)
        }
    }

    /// Returns what may be reused once the record is durable.
    private func raiseFloor(of record: inout CommitRecord) -> UInt64 {
        // In this order: the version is not newer than the sequence number's.
        let floorVersion = coordinator.durableVersion
        record.durableFloor = coordinator.durableSequence
        if planted(.raisesDurableFloor) { record.durableFloor = record.sequence - 1 }
        return record.durableFloor == record.sequence - 1 ? record.version : floorVersion
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
