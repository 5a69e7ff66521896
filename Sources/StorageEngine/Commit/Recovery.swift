/// Finds the newest version that a file holds, when nobody else has it open.
///
/// Everything here reads bytes that nobody vouches for, in bounded time and memory: 34 blocks,
/// and the pages that one commit lists (1 MiB at most, see `Pager.commit`).
struct Recovery {
    /// What an opener starts from.
    struct Outcome {
        /// The record of the newest version; nil for version 0, the empty database.
        var record: CommitRecord?
        /// Nothing in the file says that the version is durable: call ``makeDurable(_:)`` before
        /// anyone relies on it.
        var needsSync = false
        /// The pages that the record lists, if `needsSync`.
        var listedPages: [Contents] = []
        /// Slots of commits that did not become versions. They must be cleared: the pages that
        /// they list will be written again.
        var abandonedSlots: [UInt64] = []
    }

    /// What was read at a place in the file.
    struct Contents {
        var offset: UInt64
        var bytes: [UInt8]
    }

    let file: PageFile

    func findNewestVersion() throws(StorageError) -> Outcome {
        let blocks = try file.read(
            offset: 0, count: Int(FileHeader.blockCount * FileHeader.blockSize))
        guard blocks.count == FileHeader.blockCount * FileHeader.blockSize else {
            throw damaged("it ends after \(blocks.count) bytes, within the commit records")
        }
        let marker = blocks.withUnsafeBytes {
            let start = Int(FileHeader.markerOffset)
            return file.marker(
                in: UnsafeRawBufferPointer(
                    rebasing: $0[start..<start + Int(FileHeader.blockSize)]))
        }
        let slots = blocks.withUnsafeBytes { bytes in
            (0..<CommitRecord.slotCount).map { slot in
                let start = Int(PageFile.offset(ofSlot: slot))
                return Slot(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<start + CommitRecord.size]),
                    slot, file)
            }
        }
        guard let newest = slots.compactMap(\.record).max(by: { $0.version < $1.version }) else {
            return try outcomeWithoutRecord(slots, marker)
        }
        if let marker, marker.version >= newest.version {
            return try outcome(of: newest, named: marker)
        }
        return try newestIntact(from: newest, slots)
    }

    private struct Slot {
        var record: CommitRecord?
        var isEmpty: Bool

        init(_ block: UnsafeRawBufferPointer, _ slot: UInt64, _ file: PageFile) {
            record = file.record(in: block, slot: slot)
            isEmpty = record == nil && block.allSatisfy { $0 == 0 }
        }
    }

    /// No valid record: nothing was ever committed, or the very first commit was torn.
    private func outcomeWithoutRecord(
        _ slots: [Slot], _ marker: CleanCloseMarker?
    ) throws(StorageError) -> Outcome {
        let firstSlot = CommitRecord.slot(of: 1)
        let others = slots.indices.filter { UInt64($0) != firstSlot && !slots[$0].isEmpty }
        guard marker == nil, others.isEmpty else {
            throw damaged("none of its commit records is valid")
        }
        return Outcome(
            record: nil, needsSync: true,
            abandonedSlots: slots[Int(firstSlot)].isEmpty ? [] : [firstSlot])
    }

    /// After a clean close the marker names the newest version, and vouches for its pages.
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

    /// The newest version whose pages are what its record says, but none below its durable floor.
    private func newestIntact(
        from newest: CommitRecord, _ slots: [Slot]
    ) throws(StorageError) -> Outcome {
        var candidate = newest
        var abandoned: [UInt64] = []
        while true {
            let isKnownDurable = !abandoned.isEmpty && candidate.version == newest.durableFloor
            if isKnownDurable { try file.checkSize(pageCount: candidate.pageCount) }
            if let pages = isKnownDurable ? [] : try intactPages(of: candidate) {
                return Outcome(
                    record: candidate, needsSync: true, listedPages: pages,
                    abandonedSlots: abandoned)
            }
            abandoned.append(CommitRecord.slot(of: candidate.version))
            let previous = candidate.version - 1
            guard previous >= newest.durableFloor else {
                throw damaged("no version since \(newest.durableFloor) is intact")
            }
            if previous == 0 {
                return Outcome(record: nil, needsSync: true, abandonedSlots: abandoned)
            }
            guard let record = slots[Int(CommitRecord.slot(of: previous))].record,
                record.version == previous
            else {
                throw damaged(
                    "the pages of version \(candidate.version) are not intact, and the "
                        + "commit record of version \(previous) is not valid")
            }
            candidate = record
        }
    }

    /// What the record lists, if every run that the commit wrote is as it was written; else nil.
    func intactPages(of record: CommitRecord) throws(StorageError) -> [Contents]? {
        guard try file.size() >> file.pageShift >= record.pageCount else { return nil }
        if record.pagesWereSynced { return [] }
        let listedPages = record.pageList.reduce(0) { $0 + $1.count }
        guard file.offset(of: listedPages) <= Pager.largestListedBytes else { return nil }
        var hash = PageListHash()
        var contents: [Contents] = []
        for extent in record.pageList {
            let offset = file.offset(of: extent.start)
            let bytes = try file.read(offset: offset, count: file.byteCount(extent.count))
            let isIntact = bytes.withUnsafeBytes {
                combineRuns(in: $0, of: extent, version: record.version, &hash)
            }
            guard bytes.count == file.byteCount(extent.count), isIntact else { return nil }
            contents.append(Contents(offset: offset, bytes: bytes))
        }
        return hash.value == record.pageListHash ? contents : nil
    }

    /// False where the bytes are not whole runs of that version.
    private func combineRuns(
        in bytes: UnsafeRawBufferPointer, of extent: Extent, version: UInt64,
        _ hash: inout PageListHash
    ) -> Bool {
        guard bytes.count == file.byteCount(extent.count) else { return false }
        var page = extent.start
        while page < extent.end {
            let rest = UnsafeRawBufferPointer(
                rebasing: bytes[file.byteCount(page - extent.start)...])
            guard let run = file.intactRun(rest, at: page), run.birth == version else {
                return false
            }
            hash.combine(run.seal)
            page += run.pageCount
        }
        return true
    }

    /// Clears the slots of what did not become a version, and makes the one that was found durable.
    ///
    /// A sync alone does not do that. After a failed one the system keeps what it could not write
    /// as if it had been written: whoever reads gets the new contents, a further sync finds nothing
    /// to do, and a loss of power brings the old contents back. So everything that the version
    /// vouches for is written once more: the same bytes, so that a torn write leaves what was there,
    /// and nothing is encrypted twice.
    func makeDurable(_ outcome: Outcome) throws(StorageError) {
        for slot in outcome.abandonedSlots { try file.clearSlot(slot) }
        for pages in outcome.listedPages { try file.write(pages.bytes, at: pages.offset) }
        if let record = outcome.record {
            try file.rewriteSlot(CommitRecord.slot(of: record.version))
        }
        try file.sync()
    }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(
            .damaged, path: file.path,
            message: "Realm file at path '\(file.path)' is damaged: \(reason). Restore the file "
                + "from a backup.")
    }
}
