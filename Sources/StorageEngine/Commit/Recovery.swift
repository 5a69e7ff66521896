/// Finds the newest version that a file holds, when nobody else has it open.
///
/// Everything here reads bytes that nobody vouches for, in bounded time and memory: 34 blocks,
/// and the pages that one commit lists (1 MiB at most, see `Pager.commit`).
struct Recovery {
    /// What an opener starts from.
    struct Outcome {
        /// The record of the newest version; nil for version 0, the empty database.
        var record: CommitRecord?
        /// Nothing in the file says that the version is durable: sync before anyone relies on it.
        var needsSync = false
        /// Slots of commits that did not become versions. They must be cleared: the pages that
        /// they list will be written again.
        var abandonedSlots: [UInt64] = []
    }

    let file: PageFile

    func findNewestVersion() throws(StorageError) -> Outcome {
        let blocks = try file.read(
            offset: 0, count: Int(FileHeader.blockCount * FileHeader.blockSize))
        guard blocks.count == FileHeader.blockCount * FileHeader.blockSize else {
            throw damaged("it ends after \(blocks.count) bytes, within the commit records")
        }
        let marker = blocks.withUnsafeBytes {
            CleanCloseMarker(
                UnsafeRawBufferPointer(rebasing: $0[Int(FileHeader.markerOffset)...]),
                file.header)
        }
        let slots = blocks.withUnsafeBytes { bytes in
            (0 ..< CommitRecord.slotCount).map { slot in
                let start = Int(PageFile.offset(ofSlot: slot))
                return Slot(
                    UnsafeRawBufferPointer(rebasing: bytes[start ..< start + CommitRecord.size]),
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
            record = CommitRecord(
                block, slot: slot, fileSeed: file.fileSeed, firstPage: file.firstPage)
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
            throw damaged("it was closed at version \(marker.version), and the newest valid "
                + "commit record is of version \(newest.version)")
        }
        guard marker.commitID == newest.commitID else {
            throw damaged("the commit record of version \(newest.version) is not the one that it "
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
            let isAdopted = isKnownDurable ? true : try isIntact(candidate)
            if isAdopted {
                return Outcome(record: candidate, needsSync: true, abandonedSlots: abandoned)
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
                throw damaged("the pages of version \(candidate.version) are not intact, and the "
                    + "commit record of version \(previous) is not valid")
            }
            candidate = record
        }
    }

    /// Whether every run that the commit wrote is on disk as it was written.
    private func isIntact(_ record: CommitRecord) throws(StorageError) -> Bool {
        guard try file.size() >> file.pageShift >= record.pageCount else { return false }
        if record.pagesWereSynced { return true }
        try file.map(pageCount: record.pageCount)
        var hash = PageListHash()
        for extent in record.pageList {
            var page = extent.start
            while page < extent.end {
                let start = file.base + file.byteCount(page)
                let header = PageHeader(start)
                guard header.pageCount >= 1, UInt64(header.pageCount) <= extent.end - page,
                    header.birth == record.version
                else { return false }
                let run = UnsafeRawBufferPointer(
                    start: start, count: file.byteCount(UInt64(header.pageCount)))
                guard PageHeader.isSealed(run, pageNumber: page, fileSeed: file.fileSeed) else {
                    return false
                }
                hash.combine(header.checksum)
                page += UInt64(header.pageCount)
            }
        }
        return hash.value == record.pageListHash
    }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(
            .damaged, path: file.path,
            message: "Realm file at path '\(file.path)' is damaged: \(reason). Restore the file "
                + "from a backup.")
    }
}
