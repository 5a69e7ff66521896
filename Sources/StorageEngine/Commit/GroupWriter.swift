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

    /// Adds what was written before.
    mutating func add(_ other: CommitStatistics?) {
        guard let other else { return }
        pages += other.pages
        bytes += other.bytes
        writeCalls += other.writeCalls
    }
}

/// Steps 3 to 8 of the commit protocol (`docs/design.md`): brings a group to the disk.
struct GroupWriter {
    let database: Database

    private var file: PageFile { database.file }
    private var coordinator: Coordinator { database.coordinator }

    /// Writes the group, makes it durable, and publishes its version. Only for whoever took it.
    func write(_ group: CommitGroup) throws(StorageError) -> CommitStatistics {
        try database.place?.check()
        var record = group.record
        var statistics = CommitStatistics(version: record.version)
        var runs = images(of: group.sortedPages()) { group.page($0)! }
        try file.checkSize(pageCount: record.pageCount)
        let isAmongPages = record.place.isPage
        let sync = sync(of: group)
        let isFirst = coordinator.isFirstNext
        var isMuch = false
        try file.seal(&runs) { part, all throws(StorageError) in
            if isAmongPages, let all {
                isMuch = try write(part, with: &record, of: group, all, &statistics)
            } else {
                try write(part, &statistics)
            }
        }
        if !isAmongPages {
            if group.sync == .withLaterGroup {
                file.beginWriteback()
            } else if record.pagesWereSynced, !planted(.syncsLargeCommitsOnce) {
                try syncAll(&statistics)
            }
            if record.extendsRing { try prepareExtension(of: record, for: group, &statistics) }
            isMuch = try write([], with: &record, of: group, runs, &statistics)
        }
        if planted(.publishesBeforeSync) {
            publishVisible(record)
        }
        if sync == .beforeReturning {
            if isFirst { try clearMarker(&statistics) }
            try self.sync(&statistics)
        }
        file.adopt(runs)
        if let pages = group.pagesAhead { file.adopt(pages, birth: record.version) }
        database.rememberRecord(record)
        coordinator.note(record.ring)
        if sync == .beforeReturning {
            coordinator.publish(
                version: record.version, sequence: record.sequence, recordPage: record.place.page)
        } else {
            if sync != .withLaterGroup { coordinator.willPublishUnsynced() }
            publishVisible(record)
            if sync != .withLaterGroup {
                database.backgroundSync.note(record, holdsMuch: sync == .soon || isMuch)
            }
        }
        return statistics
    }

    /// Three kinds of commits are durable before anything follows them, whatever was asked for: the first
    /// since the file was opened, with which the clean-close marker goes, before any slot is used again;
    /// one whose record does not list its pages, because recovery could not tell that a later one
    /// has written over them; and one that the extension of the ring comes with, because those that
    /// follow may be in it.
    private func sync(of group: CommitGroup) -> CommitGroup.Sync {
        guard group.sync != .withLaterGroup,
            coordinator.isFirstNext || group.record.pagesWereSynced || group.record.extendsRing
        else { return group.sync }
        return .beforeReturning
    }

    /// With the same sync as the record. If only the record reaches the disk, its slot tells the next
    /// opener that the marker is out of date.
    private func clearMarker(_ statistics: inout CommitStatistics) throws(StorageError) {
        guard !file.isInMemory, try file.readMarker() != nil else { return }
        statistics.writeCalls += 1
        try file.clearMarker()
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

    /// Writes the runs of a transaction before it is a part of any group, to places that are free in
    /// all versions that anybody can read or recovery may go back to. No record names them, and the
    /// first sync of its group covers them. Returns their first pages.
    func writeAhead(
        _ pages: DirtyPages, pageCount: UInt64, _ statistics: inout CommitStatistics
    ) throws(StorageError) -> [UInt64] {
        let sorted = pages.sorted()
        var runs = images(of: sorted) { pages[$0]! }
        // Writing makes a file longer again that somebody has cut, with zeros where pages were.
        try file.checkSize(pageCount: pageCount)
        try file.seal(&runs) { part, _ throws(StorageError) in try write(part, &statistics) }
        return sorted
    }

    private func images(
        of pages: [UInt64], _ buffer: (UInt64) -> UnsafeMutableRawPointer
    ) -> [RunImage] {
        pages.map { page in
            let buffer = buffer(page)
            let run = RunImage(
                page: page, buffer: buffer,
                byteCount: PageHeader(buffer).pageCount << Int(file.pageShift))
            assertIsValid(run)
            return run
        }
    }

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

    /// Writes the record, with the runs behind it in the same call if it is among the pages.
    /// `all`: all runs of the group. Returns whether so much was written since the durable version
    /// that a sync should not wait for its time.
    private func write(
        _ runs: ArraySlice<RunImage>, with record: inout CommitRecord, of group: CommitGroup,
        _ all: [RunImage], _ statistics: inout CommitStatistics
    ) throws(StorageError) -> Bool {
        if !record.place.isPage, coordinator.isSlotNeeded(of: record.sequence, in: record.ring) {
            try syncAll(&statistics)
        }
        let (unsynced, isMuch) = try vouch(in: &record, for: all, of: group, &statistics)
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
        database.unsyncedRuns = unsynced
        return isMuch
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

    /// Fills in what the record vouches for, and since when: for what the group wrote, and for what
    /// was written since a durable version and is still reached. Returns that, and whether it is much.
    private func vouch(
        in record: inout CommitRecord, for runs: [RunImage], of group: CommitGroup,
        _ statistics: inout CommitStatistics
    ) throws(StorageError) -> (UnsyncedRuns, isMuch: Bool) {
        let before = coordinator.visibleSequence
        // In this order: what is not newer than the version is durable, whatever the number says.
        let durable = coordinator.durableVersion
        record.durableFloor = coordinator.durableSequence
        if record.durableFloor < before, !planted(.raisesDurableFloor) {
            let unsynced = try unsyncedRuns(of: before).after(
                record.sequence, writing: unsyncedRuns(of: record, runs), freeing: group.freed,
                durable: durable)
            let extents = unsynced.extents
            let bytes = file.offset(of: unsynced.pageCount)
            if bytes <= Pager.largestUnsyncedBytes,
                CommitRecord.fits(pageList: extents, log: record.log, version: record.version)
            {
                record.vouch(for: extents, unsynced.hash)
                let isMuch =
                    bytes > Pager.largestUnsyncedBytes / 2
                    || 2 * ExtentCoding.byteCount(of: extents) > CommitRecord.listCapacity
                return (unsynced, isMuch)
            }
            try syncAll(&statistics)
        }
        record.durableFloor = before
        var hash = PageListHash()
        for run in runs { hash.combine(run.seal) }
        record.vouch(for: record.pageList, hash)
        // Of what is synced before anything follows, nobody asks.
        let own = sync(of: group) == .beforeReturning ? [] : unsyncedRuns(of: record, runs)
        return (UnsyncedRuns(sequence: record.sequence, runs: own), false)
    }

    /// What a record has to vouch for of its own commit.
    private func unsyncedRuns(
        of record: CommitRecord, _ runs: [RunImage]
    ) -> [UnsyncedRuns.Run] {
        if record.pagesWereSynced { return [] }
        return runs.map {
            UnsyncedRuns.Run(
                page: $0.page, pageCount: UInt64($0.byteCount) >> file.pageShift,
                version: record.version, seal: $0.seal)
        }
    }

    /// What the newest record vouches for; `sequence`: its number.
    private func unsyncedRuns(of sequence: UInt64) throws(StorageError) -> UnsyncedRuns {
        if database.unsyncedRuns.sequence == sequence { return database.unsyncedRuns }
        // Of another process.
        let version = coordinator.visibleVersion
        guard let record = try database.record(of: version) else {
            throw database.missingRecord(version)
        }
        return UnsyncedRuns(
            sequence: sequence, runs: try Recovery(file: file).unsyncedRuns(of: record))
    }

    /// Clears the slots that this record is the first to name, and says where they are besides. Both is
    /// durable before the record is written: whoever finds it looks there.
    private func prepareExtension(
        of record: CommitRecord, for group: CommitGroup, _ statistics: inout CommitStatistics
    ) throws(StorageError) {
        let pages = record.ring.extensionExtent
        try file.fillWithZeros(
            from: file.offset(of: pages.start), length: file.offset(of: pages.count))
        try file.write(ExtensionLocator(page: pages.start))
        statistics.writeCalls += 2
        statistics.bytes += file.byteCount(pages.count)
        if group.sync != .withLaterGroup { try syncAll(&statistics) }
    }

    // MARK: 5 and 7. Sync

    /// Makes durable what was written so far: the pages of the group, and all versions before it.
    private func syncAll(_ statistics: inout CommitStatistics) throws(StorageError) {
        try sync(&statistics)
        coordinator.publishDurable(
            version: coordinator.visibleVersion, sequence: coordinator.visibleSequence)
    }

    private func sync(_ statistics: inout CommitStatistics) throws(StorageError) {
        if file.isInMemory || planted(.skipsSync) { return }
        let start = System.monotonicNanoseconds
        do {
            try file.sync()
            // Another process may know more: this one's descriptor may be younger than the failure.
            if !planted(.overlapsSyncs) { try coordinator.checkNotPoisoned() }
        } catch {
            if planted(.retriesFailedSync), (try? file.sync()) != nil { return }
            coordinator.poison()
            throw error
        }
        statistics.syncs += 1
        statistics.syncNanoseconds += System.monotonicNanoseconds - start
    }
}
