/// Finds the newest version that a file holds, when no other process has it open.
///
/// Everything here reads bytes that may be anything, in bounded time and memory: 66 blocks, two
/// windows of 2 MiB with records among the pages, and the pages that each record since the durable
/// floor lists (4 MiB at most, ``WriteTransaction/largestUnsyncedBytes``), one record at a time.
struct Recovery {
    /// The result: what an opener starts from.
    struct Outcome {
        /// The record of the newest version; nil for version 0, the empty database.
        var record: CommitRecord?
        /// Whether nothing in the file says that the version is durable: ``makeDurable(_:)`` must
        /// be called before it is relied on.
        var needsSync = false
        /// The parts of the version that were written since the durable floor, if `needsSync`.
        var unsynced = Unsynced()
        /// Records of commits that did not become versions. They must be cleared, because the pages
        /// that they list will be written again.
        var abandoned: [RecordPlace] = []
        /// Whether the version's ring has no extension, so that the locator must be cleared.
        var forgetsExtension = false
        /// Damage of the slots that users should be told of.
        var slotDamage: SlotDamage?
    }

    /// The parts of a version that may not be durable.
    struct Unsynced {
        var pages: [Contents] = []
        /// The places of its record, of the records since its checkpoint, and of those whose
        /// changes it rests on.
        var records: [RecordPlace] = []
        /// Whether the file has these pages as they are here.
        var areInPlace = true
        /// The pages of the file, which may be shorter after a power loss.
        var pageCount: UInt64 = 0
    }

    /// Bytes that were read at a place in the file.
    struct Contents {
        var offset: UInt64
        var bytes: [UInt8]
    }

    let file: PageFile

    func findNewestVersion() throws(StorageError) -> Outcome {
        if let record = try cleanlyClosedVersion() {
            try file.checkSize(pageCount: record.pageCount)
            return Outcome(record: record)
        }
        return try findNewestRecord()
    }

    /// Returns the version that the clean-close marker names, if its record is there and the slot
    /// of the next record shows that none followed. So opening reads little. The next record clears
    /// the marker; it is in that slot, and durable before any other is written (``GroupWriter``).
    private func cleanlyClosedVersion() throws(StorageError) -> CommitRecord? {
        guard let marker = try file.readMarker(),
            let record = try file.readRecord(at: marker.place),
            record.version == marker.version, record.commitID == marker.commitID,
            record.sequence == marker.sequence, record.ring.extensionPage == marker.extensionPage,
            try !mayHoldRecord(record.ring.slot(of: record.sequence + 1), after: record.sequence)
        else { return nil }
        return record
    }

    private func mayHoldRecord(
        _ slot: CommitSlot, after sequence: UInt64
    ) throws(StorageError) -> Bool {
        var mayHold = false
        try file.readSlots([slot]) {
            mayHold = file.mayHoldRecord($1, at: .slot($0), after: sequence)
        }
        return mayHold
    }

    /// Returns the slots that may hold records with numbers after `sequence`.
    ///
    /// A power loss may leave later ones of these records without the first, because none of them
    /// was waited for. Left in their slots, they would follow the record that gets the number in
    /// between.
    func slotsOfRecords(
        after sequence: UInt64, in ring: CommitRing
    ) throws(StorageError) -> [RecordPlace] {
        var places: [RecordPlace] = []
        for slots in [ring.front, ring.behind] {
            try file.readSlots(slots) {
                if file.mayHoldRecord($1, at: .slot($0), after: sequence) {
                    places.append(.slot($0))
                }
            }
        }
        return places
    }

    private func findNewestRecord() throws(StorageError) -> Outcome {
        let size = try file.size()
        guard size >= file.header.blockCount * FileHeader.blockSize else {
            throw damaged("it ends after \(size) bytes, within the commit records")
        }
        let marker = try file.readMarker()
        let scan = try SlotScan(file)
        let records = try addingRecordsAmongPages(to: scan.slots.compactMap(\.record))
        guard let newest = records.values.max(by: { $0.sequence < $1.sequence }) else {
            return try outcomeWithoutRecord(scan.slots, marker)
        }
        if let marker, marker.version >= newest.version {
            return try outcome(of: newest, named: marker)
        }
        var outcome = try newestIntact(from: newest, records)
        let adopted = outcome.record
        outcome.slotDamage = SlotDamage(
            scan.slots, adopted: adopted, newest: newest, records: records)
        // Damage is reported once. Left in its slot, it would be reported again, of other commits.
        outcome.abandoned += scan.slots.filter {
            $0.isDamaged && adopted?.needs($0.place) != true
        }.map(\.place)
        outcome.forgetsExtension = adopted?.ring.isExtended != true
        return outcome
    }

    /// Returns the records by their numbers: those in slots, and those among the pages that may be
    /// needed. These follow the newest record in a slot, or are named by the newest of all.
    private func addingRecordsAmongPages(
        to inSlots: [CommitRecord]
    ) throws(StorageError) -> [UInt64: CommitRecord] {
        var records: [UInt64: CommitRecord] = [:]
        for record in inSlots { records[record.sequence] = record }
        guard var newest = inSlots.max(by: { $0.sequence < $1.sequence }) else { return records }
        for record in try file.recordsAmongPages(after: newest) {
            records[record.sequence] = record
            newest = record
        }
        for entry in newest.chain.entries where entry.sequence >= newest.durableFloor {
            guard records[entry.sequence] == nil,
                let record = try file.readRecord(at: .page(entry.page)),
                record.sequence == entry.sequence
            else { continue }
            records[record.sequence] = record
        }
        return records
    }

    /// The outcome without a valid record: nothing was ever committed, or the very first commit was
    /// torn.
    private func outcomeWithoutRecord(
        _ slots: [SlotScan.Slot], _ marker: CleanCloseMarker?
    ) throws(StorageError) -> Outcome {
        let torn = slots.filter { !$0.isEmpty }.map(\.place)
        guard marker == nil, torn.isEmpty || torn == [file.ring.place(of: 1)] else {
            throw damaged("none of its commit records is valid")
        }
        return Outcome(record: nil, needsSync: true, abandoned: torn, forgetsExtension: true)
    }

    /// The outcome after a clean close: the marker names the newest version, and vouches for its
    /// pages.
    private func outcome(
        of newest: CommitRecord, named marker: CleanCloseMarker
    ) throws(StorageError) -> Outcome {
        guard marker.version == newest.version else {
            throw damaged(
                "it was closed at version \(marker.version), and the newest valid "
                    + "commit record is of version \(newest.version)")
        }
        guard marker.commitID == newest.commitID else {
            throw damaged(
                "the commit record of version \(newest.version) is not the one that it "
                    + "was closed with")
        }
        try file.checkSize(pageCount: newest.pageCount)
        return Outcome(record: newest)
    }

    /// Returns the newest version that is intact: the pages that its record lists are as they were
    /// written, and the records are there that its free map is rebuilt from. A newer version may
    /// have written over pages that an older one needs, but not over those of the durable one, so
    /// the search ends there at the latest.
    private func newestIntact(
        from newest: CommitRecord, _ records: [UInt64: CommitRecord]
    ) throws(StorageError) -> Outcome {
        var outcome = Outcome(record: nil, needsSync: true)
        // The highest of all floors: each of these records says that the version below is durable.
        let floor = records.values.reduce(newest.durableFloor) { max($0, $1.durableFloor) }
        let candidates = records.values.filter { $0.sequence > floor }
        // The newest first: later candidates are not even read.
        for record in candidates.sorted(by: { $0.sequence > $1.sequence }) {
            let unsynced = try unsynced(of: record, since: floor) { records[$0] }
            guard let unsynced else {
                // It was written once all records before it were durable, and nothing that it rests
                // on has been written over.
                guard !record.carriesChanges else {
                    throw damaged(
                        "the changes of version \(record.version), or of one before it, are not "
                            + "intact")
                }
                continue
            }
            outcome.record = record
            outcome.unsynced = unsynced
            break
        }
        if outcome.record == nil, floor > 0 {
            guard let floor = records[floor] else {
                throw damaged(
                    "the pages of version \(newest.version) are not intact, and no commit record "
                        + "before it is valid")
            }
            try file.checkSize(pageCount: floor.pageCount)
            outcome.record = floor
        }
        let adopted = outcome.record?.sequence ?? 0
        outcome.abandoned = records.values.filter { $0.sequence > adopted }.map(\.place)
        return outcome
    }

    /// Returns the parts of a version that may not be durable; nil where it is not intact.
    func unsynced(of newest: CommitRecord) throws(StorageError) -> Unsynced? {
        try unsynced(of: newest, since: newest.durableFloor) { sequence throws(StorageError) in
            try file.readRecord(at: newest.place(of: sequence))
        }
    }

    /// The same where the record with number `floor` is durable.
    private func unsynced(
        of newest: CommitRecord, since floor: UInt64,
        _ record: (UInt64) throws(StorageError) -> CommitRecord?
    ) throws(StorageError) -> Unsynced? {
        // Records first: they are cheaper to check than the pages.
        var unsynced = Unsynced(records: [newest.place])
        let first = max(newest.checkpointSequence, floor + 1)
        for sequence in first..<max(newest.sequence, first) {
            guard let other = try record(sequence), other.sequence == sequence else {
                if planted(.acceptsZeroSlots) { continue }
                return nil
            }
            unsynced.records.append(other.place)
        }
        unsynced.pageCount = newest.pageCount
        guard try addChanges(before: newest, since: floor, to: &unsynced, record) else {
            return nil
        }
        if newest.carriesChanges { return unsynced }
        guard let pages = try intactPages(of: newest) else { return nil }
        unsynced.pages += pages
        return unsynced
    }

    /// Adds what a version rests on: the runs that are rebuilt from the changes of its record and
    /// of those before it. Returns false where they are not intact.
    private func addChanges(
        before newest: CommitRecord, since floor: UInt64, to unsynced: inout Unsynced,
        _ record: (UInt64) throws(StorageError) -> CommitRecord?
    ) throws(StorageError) -> Bool {
        guard newest.carriesChanges || newest.restsOnChanges else { return true }
        guard newest.sequence - floor <= CommitRing.allSlots else { return false }
        var rebuilt = RebuiltRuns(file)
        for sequence in floor + 1..<newest.sequence {
            guard let other = try record(sequence), other.sequence == sequence,
                try rebuilt.apply(other)
            else { return false }
            if !unsynced.records.contains(other.place) { unsynced.records.append(other.place) }
        }
        if newest.carriesChanges {
            guard try rebuilt.apply(newest) else { return false }
        } else {
            rebuilt.pass(newest)
        }
        guard let contents = rebuilt.contents else { return false }
        unsynced.pages += contents.pages
        unsynced.areInPlace = contents.areInPlace
        return true
    }

    /// Returns the runs that the newest record vouches for. For a writer of the next record, where
    /// another process wrote the newest one.
    ///
    /// - Throws: `.damaged` where a page is not what was written.
    func unsyncedRuns(of record: CommitRecord) throws(StorageError) -> [UnsyncedRuns.Run] {
        var runs: [UnsyncedRuns.Run] = []
        guard
            try intactPages(
                of: record,
                {
                    runs.append(
                        UnsyncedRuns.Run(
                            page: $0, pageCount: $1.pageCount, version: $1.birth, seal: $1.seal))
                }) != nil
        else {
            throw damaged("pages that version \(record.version) wrote are not what was written")
        }
        return runs
    }

    /// Returns the listed pages of a record, if every run is as it was written; else nil. `visit`
    /// is called with the runs and their first pages.
    private func intactPages(
        of record: CommitRecord, _ visit: (UInt64, IntactRun) -> Void = { _, _ in }
    ) throws(StorageError) -> [Contents]? {
        guard try file.size() >> file.pageShift >= record.pageCount else { return nil }
        if record.pagesWereSynced { return [] }
        let listedPages = record.pageList.reduce(0) { $0 + $1.count }
        guard file.offset(of: listedPages) <= WriteTransaction.largestUnsyncedBytes
        else { return nil }
        var hash = PageListHash()
        var contents: [Contents] = []
        for extent in record.pageList {
            let offset = file.offset(of: extent.start)
            let bytes = try file.read(offset: offset, count: file.byteCount(extent.count))
            if planted(.acceptsZeroPages), bytes.allSatisfy({ $0 == 0 }) { return [] }
            let isIntact = bytes.withUnsafeBytes {
                combineRuns(in: $0, of: extent, newestBirth: record.version, into: &hash, visit)
            }
            guard bytes.count == file.byteCount(extent.count), isIntact else { return nil }
            contents.append(Contents(offset: offset, bytes: bytes))
        }
        return hash.value == record.pageListHash || planted(.trustsPageSeals) ? contents : nil
    }

    /// Adds the seals of an extent's runs to the hash. Returns false where the bytes are not whole
    /// runs of versions up to `newestBirth`.
    private func combineRuns(
        in bytes: UnsafeRawBufferPointer, of extent: Extent, newestBirth: UInt64,
        into hash: inout PageListHash, _ visit: (UInt64, IntactRun) -> Void
    ) -> Bool {
        guard bytes.count == file.byteCount(extent.count) else { return false }
        var page = extent.start
        while page < extent.end {
            let rest = UnsafeRawBufferPointer(
                rebasing: bytes[file.byteCount(page - extent.start)...])
            guard let run = file.intactRun(rest, at: page),
                run.birth >= 1, run.birth <= newestBirth
            else { return false }
            hash.combine(run.seal)
            visit(page, run)
            page += run.pageCount
        }
        return true
    }

    /// Clears the records of commits that did not become versions, and makes the version that was
    /// found durable.
    ///
    /// A sync alone does not do that. After a failed sync the system keeps what it could not write
    /// as if it had been written: reads return the new contents, a further sync finds nothing to
    /// do, and a power loss brings the old contents back. So everything that the version vouches
    /// for is written once more. The bytes are the same, so that a torn write leaves what was
    /// there, and nothing is encrypted twice.
    func makeDurable(_ outcome: Outcome) throws(StorageError) {
        for place in outcome.abandoned { try file.clearRecord(at: place) }
        if outcome.forgetsExtension, try file.readLocator() != nil { try file.clearLocator() }
        try makeLong(outcome.unsynced)
        for pages in outcome.unsynced.pages { try file.write(pages.bytes, at: pages.offset) }
        for place in outcome.unsynced.records { try file.rewriteRecord(at: place) }
        try file.sync()
    }

    /// A power loss may have taken the growth of the file from a version that rests on changes.
    private func makeLong(_ unsynced: Unsynced) throws(StorageError) {
        let pages = try file.size() >> file.pageShift
        guard pages < unsynced.pageCount else { return }
        try file.grow(from: pages, to: unsynced.pageCount, transactionPages: 0)
    }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(
            .damaged, path: file.path,
            message: "Realm file at path '\(file.path)' is damaged: \(reason). Restore the file "
                + "from a backup.")
    }
}
