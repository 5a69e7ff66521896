/// The effect on the free space of the versions of one commit record. Both lists ascend.
struct FreeSpaceLog: Equatable, Sendable {
    var allocated: [Extent]
    var freed: [FreedExtent]
}

/// The part of a commit record that concerns the free space. It leads from the state of the record
/// before to the state of this record's version.
struct FreeSpaceStep: Equatable, Sendable {
    var version: UInt64
    /// The number of pages of the file.
    var pageCount: UInt64
    var livePages: UInt64
    var log: FreeSpaceLog
}

// MARK: Bytes

extension FreeSpaceLog {
    var extentCount: UInt64 { UInt64(allocated.count + freed.count) }

    /// Appends the number of allocated extents, these extents, and the extents that `version`
    /// freed. The total number of extents must be stored elsewhere.
    func append(freedBy version: UInt64, to bytes: inout [UInt8]) {
        VariableLengthInteger.append(UInt64(allocated.count), to: &bytes)
        ExtentCoding.append(allocated, to: &bytes)
        ExtentCoding.append(freed, freedBy: version, to: &bytes)
    }

    func byteCount(freedBy version: UInt64) -> Int {
        VariableLengthInteger.byteCount(of: UInt64(allocated.count))
            + ExtentCoding.byteCount(of: allocated)
            + ExtentCoding.byteCount(of: freed, freedBy: version)
    }

    /// Reads a log of `count` extents in total. Returns nil if it contradicts itself or `bounds`.
    init?(
        count: UInt64, within bounds: Range<UInt64>, freedBy version: UInt64,
        from reader: inout VariableLengthIntegerReader
    ) {
        guard let allocatedCount = reader.next(), allocatedCount <= count,
            let allocated = ExtentCoding.decode(
                count: allocatedCount, within: bounds, from: &reader),
            let freed = ExtentCoding.decode(
                count: count - allocatedCount, within: bounds, freedBy: version, from: &reader)
        else { return nil }
        self.init(allocated: allocated, freed: freed)
    }
}
