/// Writing the map of free pages as a part of a commit.
extension Pager {
    /// Writes what is needed to get the free map as it will be after this commit: the whole of it,
    /// or the steps since the last checkpoint. Like a transaction of its own in the open group, whose
    /// record has the given sequence number.
    func writeCheckpoint(sequence: UInt64) throws(StorageError) -> PageReference {
        let newest = record?.checkpoint ?? .none
        // The newest run may be one of a group that is not in the file yet.
        let chain = try CheckpointChain(newest: newest, in: file) {
            reference throws(StorageError) in
            if planted(.readsCheckpointsInFile) { return try file.page(reference, of: bounds) }
            return try page(reference)
        }
        let reference: PageReference
        if chain.isWorthContinuing(with: 1), !liesHigh(chain),
            let steps = try steps(before: sequence),
            chain.isWorthContinuing(with: pageCount(of: encode(steps, since: newest)))
        {
            reference = try writeCheckpoint { encode(steps, since: newest) }
        } else {
            for link in chain.links where !planted(.leaksCheckpoints) { try free(link.reference) }
            reference = try writeCheckpoint { () throws(StorageError) in try encodeWholeMap() }
        }
        database.writerState.freeSpace!.finishTransaction(version: writeVersion)
        return reference
    }

    /// Whether the chain keeps the end of the file from being cut.
    private func liesHigh(_ chain: CheckpointChain) -> Bool {
        chain.links.contains { isToMove($0.reference, pages: Int($0.pageCount)) }
    }

    /// What the records since the last checkpoint say, up to that of the open group; nil where one
    /// of them cannot be read.
    private func steps(before sequence: UInt64) throws(StorageError) -> [FreeSpaceStep]? {
        guard let record else { return nil }
        return try file.freeSpaceSteps(
            of: record.checkpointSequence + 1..<min(sequence, record.sequence + 1),
            before: record, inMemory: head.records)
    }

    private func encode(_ steps: [FreeSpaceStep], since base: PageReference) -> [UInt8] {
        var map = database.writerState.freeSpace!
        map.finishTransaction(version: writeVersion)
        let own = FreeSpaceStep(
            version: writeVersion, pageCount: map.pageCount, livePages: map.livePages,
            log: map.groupLog())
        return FreeSpaceCheckpoint.encode(steps + [own], since: base, version: writeVersion)
    }

    private func encodeWholeMap() throws(StorageError) -> [UInt8] {
        let bytes = FreeSpaceCheckpoint.encode(
            database.writerState.freeSpace!, version: writeVersion)
        guard let bytes else { throw failing(file.damage(0, "a page was freed twice")) }
        return bytes
    }

    private func pageCount(of bytes: [UInt8], room: Int = 0) -> UInt64 {
        UInt64((PageHeader.size + bytes.count + room + pageSize - 1) / pageSize)
    }

    /// Writes a checkpoint run. Its own pages come from the map, so its size is found first, with
    /// room for what allocating them can add: at most two extents change.
    private func writeCheckpoint(
        _ encode: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> PageReference {
        var room = 8 * VariableLengthInteger.maximumByteCount
        while true {
            let pages = Int(pageCount(of: try encode(), room: room))
            let (reference, buffer) = try allocate(pages: pages, kind: .freeSpaceCheckpoint)
            let bytes = try encode()
            if bytes.count <= pages * pageSize - PageHeader.size {
                MutablePageHeader(buffer).lowKey = Int64(bytes.count)
                (buffer + PageHeader.size).copyMemory(from: bytes, byteCount: bytes.count)
                return reference
            }
            try free(reference)
            room += bytes.count
        }
    }
}
