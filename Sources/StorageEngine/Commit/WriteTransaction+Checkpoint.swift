/// Writing the map of free pages as a part of a commit.
extension WriteTransaction {
    /// Memory for a decrypted run that the memory shared by all connections has no room for; nil
    /// where it is to stay in its place. Called by ``PageFile/check(_:of:in:apart:)``.
    typealias RunMemory =
        (UnsafeRawBufferPointer, PageReference) -> UnsafeMutableRawPointer?

    /// Writes what is needed to get the free map as it will be after this commit: the whole map, or
    /// the steps since the last checkpoint. Like a transaction of its own in the open group, whose
    /// record has the given sequence number.
    mutating func writeCheckpoint(
        sequence: UInt64, memory: RunMemory
    ) throws(StorageError) -> PageReference {
        let newest = base?.checkpoint ?? .none
        // The newest run may be one of a group that is not in the file yet.
        let chain = try CheckpointChain(newest: newest, in: file) {
            reference throws(StorageError) in try page(reference, memory)
        }
        let reference: PageReference
        if chain.isWorthContinuing(with: 1), !isToMove(chain),
            let steps = try steps(before: sequence),
            chain.isWorthContinuing(with: pageCount(of: encode(steps, since: newest)))
        {
            reference = try writeCheckpoint { transaction throws(StorageError) in
                transaction.encode(steps, since: newest)
            }
        } else {
            for link in chain.links where !planted(.leaksCheckpoints) {
                try freeOld(link.reference, pages: Int(link.pageCount))
            }
            reference = try writeCheckpoint { transaction throws(StorageError) in
                try transaction.encodeWholeMap()
            }
        }
        map.space.finishTransaction(version: version)
        return reference
    }

    private func page(
        _ reference: PageReference, _ memory: RunMemory
    ) throws(StorageError) -> UnsafeRawPointer {
        if reference.birth > newestVersionInFile, !planted(.readsCheckpointsInFile) {
            guard let page = pageInMemory(reference) else {
                throw file.damage(
                    reference.page, "a reference to it is from a version that does not exist")
            }
            return UnsafeRawPointer(page)
        }
        guard let pages else {
            throw file.damage(reference.page, "a reference leads outside the file")
        }
        let bounds = base?.bounds ?? .empty
        if let page = pages.table.checkedPage(reference, of: bounds) { return page }
        return try file.check(reference, of: bounds, in: pages) { memory($0, reference) }
    }

    /// Whether the chain keeps the end of the file from being cut.
    private mutating func isToMove(_ chain: CheckpointChain) -> Bool {
        for link in chain.links where isToMove(link.reference, pages: Int(link.pageCount)) {
            return true
        }
        return false
    }

    /// Returns what the records since the last checkpoint say, up to that of the open group; nil
    /// where one of them cannot be read.
    private func steps(before sequence: UInt64) throws(StorageError) -> [FreeSpaceStep]? {
        guard let base else { return nil }
        return try file.freeSpaceSteps(
            of: base.checkpointSequence + 1..<min(sequence, base.sequence + 1),
            before: base, inMemory: head.records)
    }

    private func encode(_ steps: [FreeSpaceStep], since base: PageReference) -> [UInt8] {
        var space = map.space
        space.finishTransaction(version: version)
        let own = FreeSpaceStep(
            version: version, pageCount: space.pageCount, livePages: space.livePages,
            log: space.groupLog())
        return FreeSpaceCheckpoint.encode(steps + [own], since: base, version: version)
    }

    private func encodeWholeMap() throws(StorageError) -> [UInt8] {
        guard let bytes = FreeSpaceCheckpoint.encode(map.space, version: version) else {
            throw file.damage(0, "a page was freed twice")
        }
        return bytes
    }

    private func pageCount(of bytes: [UInt8], room: Int = 0) -> UInt64 {
        UInt64((PageHeader.size + bytes.count + room + file.pageSize - 1) / file.pageSize)
    }

    /// Writes a checkpoint run. Its own pages come from the map, so its size is found first, with
    /// room for what allocating them can add: at most two extents change.
    private mutating func writeCheckpoint(
        _ encode: (borrowing WriteTransaction) throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> PageReference {
        var room = 8 * VariableLengthInteger.maximumByteCount
        while true {
            let pages = Int(pageCount(of: try encode(self), room: room))
            let (reference, buffer) = try allocate(pages: pages, kind: .freeSpaceCheckpoint)
            let bytes = try encode(self)
            if bytes.count <= pages * file.pageSize - PageHeader.size {
                MutablePageHeader(buffer).lowKey = Int64(bytes.count)
                (buffer + PageHeader.size).copyMemory(from: bytes, byteCount: bytes.count)
                return reference
            }
            freePrivateCopy(reference, buffer)
            room += bytes.count
        }
    }
}
