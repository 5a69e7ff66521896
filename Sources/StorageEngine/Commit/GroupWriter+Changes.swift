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
            record.sequence - durable <= CommitRing.mostRecordsWithChanges,
            !coordinator.isSlotNeeded(of: record.sequence, in: record.ring)
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
            let base = base(of: run)
            let pageCount = UInt64(run.byteCount) >> file.pageShift
            VariableLengthInteger.append(run.page - end, to: &bytes)
            VariableLengthInteger.append(pageCount, to: &bytes)
            VariableLengthInteger.append(base == nil ? 0 : run.base.page, to: &bytes)
            if base != nil {
                VariableLengthInteger.append(record.version - run.base.birth, to: &bytes)
            }
            withUnsafeBytes(of: run.seal.littleEndian) { bytes += $0 }
            guard
                PageChanges.append(
                    stretchesOf: UnsafeRawBufferPointer(start: run.buffer, count: run.byteCount),
                    since: base ?? UnsafeRawBufferPointer(start: nil, count: 0), to: &bytes,
                    limit: limit)
            else { return false }
            end = run.page + pageCount
        }
        return true
    }

    /// The run that a run was copied from, where it lies in the file: the version before the group
    /// reaches it, so it is not written while the group is.
    private func base(of run: RunImage) -> UnsafeRawBufferPointer? {
        guard !run.base.isNone, let pages = file.pages, run.base.page < file.mappedPages else {
            return nil
        }
        let header = PageHeader(pages.table.address(of: run.base.page))
        guard header.birth == run.base.birth, header.pageCount >= 1,
            run.base.page + UInt64(header.pageCount) <= file.mappedPages
        else { return nil }
        return UnsafeRawBufferPointer(
            start: header.bytes, count: file.byteCount(UInt64(header.pageCount)))
    }

    /// Makes the version visible. Its readers find its runs checked.
    func publishRecorded(_ record: CommitRecord, _ runs: [RunImage]) {
        adopt(record, runs)
        unsyncedRuns = UnsyncedRuns(sequence: record.sequence, runs: [])
        coordinator.publishRecorded(version: record.version, sequence: record.sequence)
    }
}
