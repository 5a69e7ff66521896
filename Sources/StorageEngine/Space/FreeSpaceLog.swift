/// What the versions of one commit record did to the free space. Both lists ascend.
struct FreeSpaceLog: Equatable, Sendable {
    var allocated: [Extent]
    var freed: [FreedExtent]
}

/// What a commit record says of the free space: enough to get from the state before it to that of
/// its version.
struct FreeSpaceStep: Equatable, Sendable {
    var version: UInt64
    /// Pages of the file.
    var pageCount: UInt64
    var livePages: UInt64
    var log: FreeSpaceLog
}

// MARK: Bytes

extension FreeSpaceLog {
    var extentCount: UInt64 { UInt64(allocated.count + freed.count) }

    /// The number of allocated extents, these, and what version `version` freed; how many extents
    /// that is must be stored elsewhere.
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

    /// Reads a log of `count` extents in all; nil where it contradicts itself or `bounds`.
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
