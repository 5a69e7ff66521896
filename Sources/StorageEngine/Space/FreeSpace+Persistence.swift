/// What a commit did to the free space: enough to repeat it on the state before.
struct FreeSpaceLog: Equatable, Sendable {
    var releasedThrough: UInt64
    var allocated: [Extent]
    var freed: [Extent]
}

// MARK: Replay

extension FreeSpace {
    /// Repeats a commit of another process on the state of the version before it. False where
    /// that is not possible: then the log and this state do not belong together.
    mutating func replay(
        _ log: FreeSpaceLog, version: UInt64, pageCount newCount: UInt64, livePages: UInt64
    ) -> Bool {
        precondition(isTransactionEmpty)
        settleCurrent()
        grow(to: newCount)
        guard release(through: log.releasedThrough) else { return false }
        for extent in log.allocated {
            guard free.remove(extent) else { return false }
        }
        for extent in log.freed {
            guard extent.end <= pageCount, !free.overlaps(extent) else { return false }
        }
        appendWaiting(log.freed, version: version)
        self.livePages = livePages
        return livePages + freePages + waitingPages == pageCount - firstPage
    }
}

// MARK: Checkpoint

extension FreeSpace {
    /// The map as it will be once the open transaction has become `version`.
    mutating func encodeCheckpoint(version: UInt64) -> [UInt8] {
        settleAllocatedTail()
        settleCurrent()
        var bytes: [UInt8] = []
        VariableLengthInteger.append(pageCount, to: &bytes)
        VariableLengthInteger.append(livePagesAfterCommit, to: &bytes)
        VariableLengthInteger.append(releasedThrough, to: &bytes)
        VariableLengthInteger.append(UInt64(free.extentCount), to: &bytes)
        ExtentCoding.append(free, to: &bytes)
        VariableLengthInteger.append(
            UInt64(waitingGroups.count + (freed.isEmpty ? 0 : 1)), to: &bytes)
        for group in waitingGroups {
            VariableLengthInteger.append(group.version, to: &bytes)
            VariableLengthInteger.append(UInt64(group.extents.count), to: &bytes)
            ExtentCoding.append(group.extents, to: &bytes)
        }
        if !freed.isEmpty {
            VariableLengthInteger.append(version, to: &bytes)
            VariableLengthInteger.append(UInt64(freed.extentCount), to: &bytes)
            ExtentCoding.append(freed, to: &bytes)
        }
        return bytes
    }

    /// The map of version `version` from bytes that nobody vouches for; nil where they contradict
    /// themselves or the file.
    init?(
        checkpoint bytes: UnsafeRawBufferPointer, version: UInt64, firstPage: UInt64,
        maximumPageCount: UInt64
    ) {
        var reader = VariableLengthIntegerReader(bytes)
        guard let pageCount = reader.next(), let livePages = reader.next(),
            let releasedThrough = reader.next(), let freeCount = reader.next(),
            pageCount >= firstPage, pageCount <= maximumPageCount, releasedThrough <= version
        else { return nil }
        let bounds = firstPage..<pageCount
        guard
            let freeExtents = ExtentCoding.decode(
                count: freeCount, within: bounds, from: &reader)
        else { return nil }
        self.init(firstPage: firstPage, pageCount: firstPage)
        self.pageCount = pageCount
        self.livePages = livePages
        self.releasedThrough = releasedThrough
        free = ExtentSet(ascending: freeExtents)
        var known = free
        guard let groupCount = reader.next(), groupCount <= UInt64(reader.remaining) else {
            return nil
        }
        var previousVersion: UInt64 = 0
        for _ in 0..<groupCount {
            guard let groupVersion = reader.next(), let count = reader.next(),
                groupVersion > previousVersion, groupVersion <= version,
                let extents = ExtentCoding.decode(count: count, within: bounds, from: &reader)
            else { return nil }
            for extent in extents where !known.insert(extent) { return nil }
            appendWaiting(extents, version: groupVersion)
            previousVersion = groupVersion
        }
        guard livePages <= pageCount,
            livePages + freePages + waitingPages == pageCount - firstPage
        else { return nil }
    }
}
