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

/// Steps 3 to 8 of the commit protocol (`docs/design.md`, "Commit protocol"): brings a group to the
/// disk.
///
/// One for each open file; one thread at a time writes a group. Pages are written ahead by the
/// holder of the write lock, at any time.
// Unchecked because of the variables, which only the thread touches that writes a group.
final class GroupWriter: @unchecked Sendable {
    let file: PageFile
    let coordinator: Coordinator
    let records: CommitRecords
    private let backgroundSync: BackgroundSync
    let changesPolicy: ChangesPolicy
    /// Where the file lies; nil for one in memory, and where nothing is written.
    @exclusivity(unchecked) private var place: FilePlace?
    /// What the newest record that this process wrote vouches for.
    @exclusivity(unchecked) var unsyncedRuns = UnsyncedRuns()
    /// Memory for the changes of a group, so that a commit allocates no more than it keeps.
    @exclusivity(unchecked) var changesScratch: [UInt8] = []

    init(
        _ file: PageFile, _ coordinator: Coordinator, records: CommitRecords,
        backgroundSync: BackgroundSync, changesPolicy: ChangesPolicy, place: FilePlace?
    ) {
        self.file = file
        self.coordinator = coordinator
        self.records = records
        self.backgroundSync = backgroundSync
        self.changesPolicy = changesPolicy
        self.place = place
    }

    /// Writes the group, makes it durable, and publishes its version. Only for the thread that took
    /// it.
    func write(_ group: CommitGroup) throws(StorageError) -> CommitStatistics {
        try place?.check()
        var record = group.record
        var cost = CommitStatistics(version: record.version)
        var runs = images(of: group.sortedPages()) { group.page($0)! }
        try file.checkSize(pageCount: record.pageCount)
        let isAmongPages = record.place.isPage
        let restsOnChanges = try restsOnChanges()
        let sync = sync(of: group, afterChanges: restsOnChanges)
        if sync == .beforeReturning, coordinator.isFirstNext { try clearMarker(cost: &cost) }
        var exceedsSyncBudget = false
        try file.seal(&runs) { part, all throws(StorageError) in
            // A record among the pages is written in one call with the last of them.
            if isAmongPages, let all {
                exceedsSyncBudget = try writeRecord(
                    &record, of: group, behind: part, allRuns: all, afterChanges: restsOnChanges,
                    cost: &cost)
            } else {
                try writeRuns(part, cost: &cost)
            }
        }
        switch group.sync {
        case .beforeReturning:
            if try writeChanges(
                in: &record, of: runs, afterChanges: restsOnChanges, cost: &cost)
            {
                publishRecorded(record, runs)
                return cost
            }
            changesPolicy.noteCommit()
        case .later, .soon: changesPolicy.beginPause()
        case .withLaterGroup: break
        }
        if !isAmongPages {
            if group.sync == .withLaterGroup {
                file.beginWriteback()
            } else if record.pagesWereSynced, !planted(.syncsLargeCommitsOnce) {
                try syncAll(cost: &cost)
            }
            if record.extendsRing { try prepareExtension(of: record, for: group, cost: &cost) }
            exceedsSyncBudget = try writeRecord(
                &record, of: group, behind: [], allRuns: runs, afterChanges: restsOnChanges,
                cost: &cost)
        }
        if planted(.publishesBeforeSync) { publishVisible(record) }
        if sync == .beforeReturning { try self.sync(cost: &cost) }
        adopt(record, runs)
        if let pages = group.pagesAhead { file.adopt(pages, birth: record.version) }
        publish(record, sync, exceedsSyncBudget: exceedsSyncBudget)
        return cost
    }

    /// Before the version is published, so that its readers find these runs checked.
    func adopt(_ record: CommitRecord, _ runs: [RunImage]) {
        file.adopt(runs)
        records.remember(record)
        coordinator.note(record.ring)
    }

    /// Step 8.
    private func publish(
        _ record: CommitRecord, _ sync: CommitGroup.Sync, exceedsSyncBudget: Bool
    ) {
        switch sync {
        case .beforeReturning:
            coordinator.publish(
                version: record.version, sequence: record.sequence, recordPage: record.place.page)
        case .withLaterGroup:
            publishVisible(record)
        case .later, .soon:
            coordinator.willPublishUnsynced()
            publishVisible(record)
            backgroundSync.note(record, exceedsBudget: sync == .soon || exceedsSyncBudget)
        }
    }

    private func publishVisible(_ record: CommitRecord) {
        coordinator.publishVisible(
            version: record.version, sequence: record.sequence, recordPage: record.place.page)
    }

    /// When a group is synced. Four kinds of commits are durable before anything follows them,
    /// whatever was asked for:
    /// - the first one since the file was opened: it clears the clean-close marker, which must be
    ///   gone before any slot is used again;
    /// - one whose record does not list its pages, because recovery could not tell that a later
    ///   commit has written over them;
    /// - one that the extension of the ring comes with, because later records may be in it;
    /// - one that follows records with changes, whose slots would be needed until it is durable.
    private func sync(of group: CommitGroup, afterChanges: Bool) -> CommitGroup.Sync {
        guard group.sync != .withLaterGroup,
            coordinator.isFirstNext || group.record.pagesWereSynced || group.record.extendsRing
                || afterChanges && !planted(.relaxesAfterChanges)
        else { return group.sync }
        return .beforeReturning
    }

    /// Clears the clean-close marker, with the same sync as the record, or an earlier one. If only
    /// the record reaches the disk, its slot tells the next opener that the marker is out of date.
    /// Called before the record is written: if this fails, so does the commit, and a record that
    /// stayed behind would be that of a commit when the file is opened again.
    private func clearMarker(cost: inout CommitStatistics) throws(StorageError) {
        guard !file.isInMemory, try file.readMarker() != nil else { return }
        cost.writeCalls += 1
        try file.clearMarker()
    }

    // MARK: 3 and 4. Seal and write

    /// Writes the runs of a transaction before it is a part of any group, to places that are free
    /// in all versions that can be read or that recovery may go back to. No record names them, and
    /// the first sync of its group covers them. Returns their first pages.
    func writeAhead(
        _ pages: DirtyPages, pageCount: UInt64, cost: inout CommitStatistics
    ) throws(StorageError) -> [UInt64] {
        let sorted = pages.sorted()
        var runs = images(of: sorted) { pages[$0]! }
        // Writing would make a file that was cut longer again, with zeros where pages were.
        try file.checkSize(pageCount: pageCount)
        try file.seal(&runs) { part, _ throws(StorageError) in try writeRuns(part, cost: &cost) }
        return sorted
    }

    private func images(
        of pages: [UInt64], _ buffer: (UInt64) -> UnsafeMutableRawPointer
    ) -> [RunImage] {
        pages.map { page in
            let buffer = buffer(page)
            let run = RunImage(
                page: page, buffer: buffer,
                byteCount: PageHeader(buffer).pageCount << Int(file.pageShift),
                base: PageHeader(buffer).base)
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

    /// Writes runs, each contiguous stretch with one call.
    private func writeRuns(
        _ runs: ArraySlice<RunImage>, cost: inout CommitStatistics
    ) throws(StorageError) {
        var stretch: [iovec] = []
        var start: UInt64 = 0
        var end: UInt64 = 0
        for run in runs {
            if run.page != end || stretch.count == System.maximumBuffers {
                try writeStretch(stretch, at: start, cost: &cost)
                stretch.removeAll(keepingCapacity: true)
                start = run.page
                end = run.page
            }
            // Buffers that are contiguous in memory as in the file become one buffer.
            if let last = stretch.last, last.iov_base + last.iov_len == run.buffer {
                stretch[stretch.count - 1].iov_len += run.byteCount
            } else {
                stretch.append(iovec(iov_base: run.buffer, iov_len: run.byteCount))
            }
            end += UInt64(run.byteCount) >> file.pageShift
            cost.pages += run.byteCount >> Int(file.pageShift)
            cost.bytes += run.byteCount
        }
        try writeStretch(stretch, at: start, cost: &cost)
    }

    private func writeStretch(
        _ stretch: [iovec], at page: UInt64, cost: inout CommitStatistics
    ) throws(StorageError) {
        guard !stretch.isEmpty else { return }
        cost.writeCalls += 1
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

    /// Writes the record. If it is among the pages, `runs` are written in the same call, in front
    /// of it. `allRuns`: those of the whole group. Returns whether so much was written since the
    /// durable version that a sync should not wait for its time.
    private func writeRecord(
        _ record: inout CommitRecord, of group: CommitGroup, behind runs: ArraySlice<RunImage>,
        allRuns: [RunImage], afterChanges: Bool, cost: inout CommitStatistics
    ) throws(StorageError) -> Bool {
        if !record.place.isPage, coordinator.isSlotNeeded(of: record.sequence, in: record.ring) {
            try syncAll(cost: &cost)
        }
        let (unsynced, exceedsSyncBudget) = try vouch(
            in: &record, for: allRuns, of: group, afterChanges: afterChanges, cost: &cost)
        do {
            try writeBlock(of: record, behind: runs, cost: &cost)
        } catch {
            withdraw(record)
            throw error
        }
        unsyncedRuns = unsynced
        return exceedsSyncBudget
    }

    /// After a failed write of a record. All of it may have been written, and it may vouch for
    /// pages that it does not list: it must be gone, durably, before those pages are written again.
    func withdraw(_ record: CommitRecord) {
        do throws(StorageError) {
            if try file.readRecord(at: record.place)?.commitID == record.commitID {
                try file.clearRecord(at: record.place)
                try file.sync()
            }
        } catch {
            coordinator.poison()
        }
    }

    private func writeBlock(
        of record: CommitRecord, behind runs: ArraySlice<RunImage>,
        cost: inout CommitStatistics
    ) throws(StorageError) {
        var block = file.block(of: record)
        guard case .page(let page) = record.place else {
            cost.writeCalls += 1
            cost.bytes += CommitRecord.size
            return try file.write(recordBlock: block, at: record.place)
        }
        let result = block.withUnsafeMutableBytes { bytes in
            let image = RunImage(
                page: page, buffer: bytes.baseAddress!, byteCount: CommitRecord.size)
            var images: [RunImage] = []
            images.reserveCapacity(runs.count + 1)
            images += runs
            images.insert(image, at: images.firstIndex { $0.page > page } ?? images.endIndex)
            return Result { () throws(StorageError) in try writeRuns(images[...], cost: &cost) }
        }
        try result.get()
        cost.pages -= 1
    }

    /// Fills in what the record vouches for, and since when: the runs that the group wrote, and
    /// those that were written since a durable version and are still reached. Returns these runs,
    /// and whether they are so many that a sync should not wait for its time.
    private func vouch(
        in record: inout CommitRecord, for runs: [RunImage], of group: CommitGroup,
        afterChanges: Bool, cost: inout CommitStatistics
    ) throws(StorageError) -> (UnsyncedRuns, exceedsSyncBudget: Bool) {
        let before = coordinator.visibleSequence
        // In this order: what is not newer than the version is durable, whatever the number says.
        let durable = coordinator.durableVersion
        record.durableFloor = coordinator.durableSequence
        if afterChanges, record.durableFloor < before {
            // What is not durable before it is rebuilt from the records between.
            record.restsOnChanges = !planted(.forgetsChanges)
            record.vouch(for: record.pageList, hash(of: runs))
            return (UnsyncedRuns(sequence: record.sequence, runs: []), false)
        }
        if record.durableFloor < before, !planted(.raisesDurableFloor) {
            let unsynced = try unsyncedRuns(of: before).after(
                record.sequence, writing: unsyncedRuns(of: record, runs), freeing: group.freed,
                durable: durable)
            let extents = unsynced.extents
            let bytes = file.offset(of: unsynced.pageCount)
            if bytes <= WriteTransaction.largestUnsyncedBytes,
                CommitRecord.fits(pageList: extents, log: record.log, version: record.version)
            {
                record.vouch(for: extents, unsynced.hash)
                let exceedsSyncBudget =
                    bytes > WriteTransaction.largestUnsyncedBytes / 2
                    || 2 * ExtentCoding.byteCount(of: extents) > CommitRecord.listCapacity
                return (unsynced, exceedsSyncBudget)
            }
            try syncAll(cost: &cost)
        }
        record.durableFloor = before
        record.vouch(for: record.pageList, hash(of: runs))
        // A later record need not vouch for what is synced before anything follows.
        let own =
            sync(of: group, afterChanges: afterChanges) == .beforeReturning
            ? [] : unsyncedRuns(of: record, runs)
        return (UnsyncedRuns(sequence: record.sequence, runs: own), false)
    }

    private func hash(of runs: [RunImage]) -> PageListHash {
        var hash = PageListHash()
        for run in runs { hash.combine(run.seal) }
        return hash
    }

    /// The runs of its own commit that a record has to vouch for.
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

    /// The runs that the newest record vouches for; `sequence`: its number.
    private func unsyncedRuns(of sequence: UInt64) throws(StorageError) -> UnsyncedRuns {
        if unsyncedRuns.sequence == sequence { return unsyncedRuns }
        // Another process wrote it.
        let version = coordinator.visibleVersion
        guard let record = try records.record(of: version) else { throw records.missing(version) }
        return UnsyncedRuns(
            sequence: sequence, runs: try Recovery(file: file).unsyncedRuns(of: record))
    }

    /// Clears the slots that this record is the first to name, and writes the locator. Both are
    /// durable before the record is written, because recovery looks there once it finds the record.
    private func prepareExtension(
        of record: CommitRecord, for group: CommitGroup, cost: inout CommitStatistics
    ) throws(StorageError) {
        let pages = record.ring.extensionExtent
        try file.fillWithZeros(
            from: file.offset(of: pages.start), length: file.offset(of: pages.count))
        try file.write(ExtensionLocator(page: pages.start))
        cost.writeCalls += 2
        cost.bytes += file.byteCount(pages.count)
        if group.sync != .withLaterGroup { try syncAll(cost: &cost) }
    }

    // MARK: 5 and 7. Sync

    /// Makes durable what was written so far: the pages of the group, and all versions before it.
    private func syncAll(cost: inout CommitStatistics) throws(StorageError) {
        try sync(cost: &cost)
        coordinator.publishDurable(
            version: coordinator.visibleVersion, sequence: coordinator.visibleSequence)
    }

    private func sync(cost: inout CommitStatistics) throws(StorageError) {
        if file.isInMemory || planted(.skipsSync) { return }
        let start = System.monotonicNanoseconds
        do {
            try file.sync()
            // Another process may have seen a failure that is older than this one's descriptor.
            if !planted(.overlapsSyncs) { try coordinator.checkNotPoisoned() }
        } catch {
            if planted(.retriesFailedSync), (try? file.sync()) != nil { return }
            coordinator.poison()
            throw error
        }
        cost.syncs += 1
        cost.syncNanoseconds += System.monotonicNanoseconds - start
    }
}
