/// Commits whose record carries their changes (`docs/design.md`, "Records that carry changes").
///
/// The record alone is made durable, by one write; the pages are in the page cache, for the readers
/// of all processes, and become durable with the next commit that syncs the file.
extension GroupWriter {
    /// Whether the newest version rests on records that carry changes: its pages are not durable.
    func restsOnChanges() throws(StorageError) -> Bool {
        let version = coordinator.visibleVersion
        guard version > 0, coordinator.durableVersion < version else { return false }
        guard let record = try records.record(of: version) else { throw records.missing(version) }
        return record.carriesChanges
    }

    /// Makes the record carry the changes of its runs, which have been written, and writes it
    /// durably. Returns false where the commit has to go through its pages instead; nothing is
    /// written then.
    ///
    /// The records since the durable version must all carry changes, and be few enough that the
    /// slots of all of them are kept.
    func writeChanges(
        in record: inout CommitRecord, of runs: [RunImage], afterChanges: Bool,
        cost: inout CommitStatistics
    ) throws(StorageError) -> Bool {
        guard file.mayCarryChanges, changesPolicy.isExpected, !record.place.isPage,
            record.ring.hasAllSlots, !record.extendsRing, !record.pagesWereSynced,
            !coordinator.isFirstNext, record.log != nil
        else { return false }
        let before = coordinator.visibleSequence
        let durable = coordinator.durableSequence
        guard record.sequence == before + 1, afterChanges || durable == before,
            planted(.carriesWithoutEnd)
                || record.sequence - durable <= CommitRing.mostRecordsWithChanges
                    && !coordinator.isSlotNeeded(of: record.sequence, in: record.ring)
        else { return false }
        guard let changes = changes(in: runs, of: record, limit: record.roomForChanges) else {
            changesPolicy.beginPause()
            return false
        }
        let draft = record
        record.durableFloor = durable
        record.restsOnChanges = durable < before
        record.carry(changes)
        guard try writeDurably(record, cost: &cost) else {
            record = draft
            return false
        }
        return true
    }

    /// Returns false where the file system has no such writes.
    private func writeDurably(
        _ record: CommitRecord, cost: inout CommitStatistics
    ) throws(StorageError) -> Bool {
        let start = System.monotonicNanoseconds
        do throws(StorageError) {
            guard try file.writeSynced(recordBlock: file.block(of: record), at: record.place) else {
                file.forbidChanges()
                return false
            }
            try coordinator.checkNotPoisoned()
        } catch {
            if error.code == .outcomeUnknown { coordinator.poison() } else { withdraw(record) }
            throw error
        }
        cost.writeCalls += 1
        cost.bytes += CommitRecord.size
        cost.syncs += 1
        cost.syncNanoseconds += System.monotonicNanoseconds - start
        return true
    }

    /// Returns the changes of the runs, which ascend; nil where they exceed `limit` bytes.
    private func changes(
        in runs: [RunImage], of record: CommitRecord, limit: Int
    ) -> [UInt8]? {
        guard runs.reduce(0, { $0 + $1.byteCount }) <= PageChanges.largestRuns else { return nil }
        changesScratch.removeAll(keepingCapacity: true)
        return append(changesOf: runs, of: record, limit: limit, to: &changesScratch)
            ? changesScratch.withUnsafeBytes { Array($0) } : nil
    }

    private func append(
        changesOf runs: [RunImage], of record: CommitRecord, limit: Int, to bytes: inout [UInt8]
    ) -> Bool {
        var end: UInt64 = 0
        for run in planted(.carriesAllButOne) ? runs.dropLast() : runs[...] {
            let fits = withBase(of: run) { base in
                append(
                    changesOf: run, since: base, behind: end, of: record, limit: limit, to: &bytes)
            }
            guard fits else { return false }
            end = run.page + UInt64(run.byteCount) >> file.pageShift
        }
        return true
    }

    private func append(
        changesOf run: RunImage, since base: UnsafeRawBufferPointer?, behind end: UInt64,
        of record: CommitRecord, limit: Int, to bytes: inout [UInt8]
    ) -> Bool {
        VariableLengthInteger.append(run.page - end, to: &bytes)
        VariableLengthInteger.append(UInt64(run.byteCount) >> file.pageShift, to: &bytes)
        VariableLengthInteger.append(base == nil ? 0 : run.base.page, to: &bytes)
        if base != nil {
            VariableLengthInteger.append(record.version - run.base.birth, to: &bytes)
        }
        RunSeal(at: run.buffer, in: file).append(to: &bytes)
        return PageChanges.append(
            stretchesOf: UnsafeRawBufferPointer(start: run.buffer, count: run.byteCount),
            since: base ?? UnsafeRawBufferPointer(start: nil, count: 0), to: &bytes, limit: limit)
    }

    /// Calls `body` with the run that a run was copied from, or with nil. The version before the
    /// group reaches it, so nothing is written over it meanwhile.
    private func withBase(
        of run: RunImage, _ body: (UnsafeRawBufferPointer?) -> Bool
    ) -> Bool {
        let (base, mapped) = (run.base, file.mappedPages)
        guard !base.isNone, let pages = file.pages, base.page < mapped else { return body(nil) }
        func check(_ run: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
            guard let start = run?.baseAddress, PageHeader(start).birth == base.birth else {
                return nil
            }
            let pageCount = UInt64(PageHeader(start).pageCount)
            guard pageCount >= 1, base.page + pageCount <= mapped,
                file.byteCount(pageCount) <= PageChanges.largestRuns
            else { return nil }
            return UnsafeRawBufferPointer(start: start, count: file.byteCount(pageCount))
        }
        let place = pages.table.address(of: base.page)
        let rest = file.byteCount(mapped - base.page)
        // A place for a decrypted run holds anything until the run is there.
        guard let cipher = file.cipher, !pages.isChecked(base) else {
            return body(check(UnsafeRawBufferPointer(start: place, count: rest)))
        }
        let sealed = UnsafeRawBufferPointer(
            start: pages.ranges.file + file.byteCount(base.page),
            count: min(rest, PageChanges.largestRuns))
        return file.withOpenedRun(sealed, at: base.page, with: cipher) { body(check($0)) }
    }

    /// Makes the version visible. Its readers find its runs checked.
    func publishRecorded(_ record: CommitRecord, _ runs: [RunImage]) {
        adopt(record, runs)
        unsyncedRuns = UnsyncedRuns(sequence: record.sequence, runs: [])
        coordinator.publishRecorded(version: record.version, sequence: record.sequence)
    }
}
