/// What one version consists of: the block that makes a commit a commit.
///
/// The layout is in `docs/design.md`. Encoding never fails: the caller asks first whether lists
/// fit (``fits(pageList:log:)``), and leaves out what does not.
struct CommitRecord: Equatable, Sendable {
    /// Bytes of a record, and of the slot that holds it.
    static let size = 4096
    /// Slots in the ring: the record of version `v` is in slot `v mod 32`.
    static let slotCount: UInt64 = 32
    /// The free map is written as a checkpoint at least this often, so that the records after
    /// the checkpoint are all in the ring: 24 + 1 of them at most, and 32 slots.
    static let maximumCheckpointAge: UInt64 = 24

    /// Bounds of what a record may say, so that no sum of what it says overflows: at a version
    /// each nanosecond, a century; at 4096 bytes a page, an exabyte.
    private static let maximumVersion: UInt64 = 1 << 62
    private static let maximumPageCount: UInt64 = 1 << 48

    /// Bytes of a slot that a record may use: an encrypted file needs the rest for a seal.
    static let contentSize = size - Seal.size
    private static let listOffset = 104
    private static let listCapacity = contentSize - listOffset
    private static let flag: UInt32 = 1 << 31

    var version: UInt64
    /// Random: tells apart two commits that became the same version in two copies of a file.
    var commitID: UInt64
    /// The newest version known to be durable when this record was written.
    var durableFloor: UInt64
    /// Pages of the file, headers included.
    var pageCount: UInt64
    var root: PageReference
    var livePages: UInt64
    /// The newest checkpoint of the free map; its birth is the version it describes.
    var checkpoint: PageReference
    /// What this commit wrote. Empty where `pagesWereSynced`.
    var pageList: [Extent]
    /// See ``PageListHash``.
    var pageListHash: UInt64
    /// The pages were durable before this record was written: no list vouches for them.
    var pagesWereSynced: Bool
    /// Nil where it did not fit; then `checkpoint` is of this version.
    var log: FreeSpaceLog?

    static func slot(of version: UInt64) -> UInt64 { version % slotCount }

    /// Bytes that the two lists take.
    static func byteCount(pageList: [Extent], log: FreeSpaceLog?) -> Int {
        ExtentCoding.byteCount(of: pageList) + (log.map(byteCount) ?? 0)
    }

    private static func byteCount(of log: FreeSpaceLog) -> Int {
        VariableLengthInteger.byteCount(of: log.releasedThrough)
            + VariableLengthInteger.byteCount(of: UInt64(log.allocated.count))
            + ExtentCoding.byteCount(of: log.allocated) + ExtentCoding.byteCount(of: log.freed)
    }

    static func fits(pageList: [Extent], log: FreeSpaceLog?) -> Bool {
        byteCount(pageList: pageList, log: log) <= listCapacity
    }
}

// MARK: Bytes

extension CommitRecord {
    func encode(fileSeed: UInt64) -> [UInt8] {
        precondition(Self.fits(pageList: pageList, log: log))
        var lists: [UInt8] = []
        ExtentCoding.append(pageList, to: &lists)
        if let log {
            VariableLengthInteger.append(log.releasedThrough, to: &lists)
            VariableLengthInteger.append(UInt64(log.allocated.count), to: &lists)
            ExtentCoding.append(log.allocated, to: &lists)
            ExtentCoding.append(log.freed, to: &lists)
        }
        let logCount = log.map { UInt32($0.allocated.count + $0.freed.count) } ?? Self.flag
        var block = [UInt8](repeating: 0, count: Self.size)
        block.withUnsafeMutableBytes { bytes in
            func store(_ value: UInt64, at offset: Int) {
                bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
            }
            func store(_ value: UInt32, at offset: Int) {
                bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
            }
            store(version, at: 8)
            store(commitID, at: 16)
            store(durableFloor, at: 24)
            store(pageCount, at: 32)
            store(root.page, at: 40)
            store(root.birth, at: 48)
            store(livePages, at: 56)
            store(checkpoint.page, at: 64)
            store(checkpoint.birth, at: 72)
            store(checkpoint.birth, at: 80)
            store(pageListHash, at: 88)
            store(UInt32(pageList.count) | (pagesWereSynced ? Self.flag : 0), at: 96)
            store(logCount, at: 100)
            UnsafeMutableRawBufferPointer(rebasing: bytes[Self.listOffset...])
                .copyBytes(from: lists)
            store(Self.checksum(UnsafeRawBufferPointer(bytes), fileSeed: fileSeed), at: 0)
        }
        return block
    }

    private static func checksum(_ block: UnsafeRawBufferPointer, fileSeed: UInt64) -> UInt64 {
        Checksum.hash(UnsafeRawBufferPointer(rebasing: block[8..<size]), seed: fileSeed)
    }

    /// The record in `slot`, or nil: an empty slot, a torn block, another file's block, or one
    /// that contradicts itself.
    init?(_ block: UnsafeRawBufferPointer, slot: UInt64, fileSeed: UInt64, firstPage: UInt64) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func half(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard block.count == Self.size, word(0) == Self.checksum(block, fileSeed: fileSeed)
        else { return nil }
        version = word(8)
        commitID = word(16)
        durableFloor = word(24)
        pageCount = word(32)
        root = PageReference(page: word(40), birth: word(48))
        livePages = word(56)
        checkpoint = PageReference(page: word(64), birth: word(72))
        pageListHash = word(88)
        pagesWereSynced = half(96) & Self.flag != 0
        pageList = []
        guard version >= 1, version <= Self.maximumVersion, Self.slot(of: version) == slot,
            durableFloor < version, pageCount >= firstPage, pageCount <= Self.maximumPageCount,
            livePages <= pageCount - firstPage, word(80) == checkpoint.birth,
            Self.isPlausible(root, version, firstPage..<pageCount),
            Self.isPlausible(checkpoint, version, firstPage..<pageCount),
            version - checkpoint.birth <= Self.maximumCheckpointAge
        else { return nil }

        let bounds = firstPage..<pageCount
        var reader = VariableLengthIntegerReader(
            UnsafeRawBufferPointer(rebasing: block[Self.listOffset...]))
        guard
            let list = ExtentCoding.decode(
                count: UInt64(half(96) & ~Self.flag), within: bounds, from: &reader)
        else { return nil }
        pageList = list
        let logCount = UInt64(half(100))
        if logCount & UInt64(Self.flag) != 0 {
            guard checkpoint.birth == version else { return nil }
        } else {
            guard let releasedThrough = reader.next(), let allocatedCount = reader.next(),
                releasedThrough < version, allocatedCount <= logCount,
                let allocated = ExtentCoding.decode(
                    count: allocatedCount, within: bounds, from: &reader),
                let freed = ExtentCoding.decode(
                    count: logCount - allocatedCount, within: bounds, from: &reader)
            else { return nil }
            log = FreeSpaceLog(
                releasedThrough: releasedThrough, allocated: allocated, freed: freed)
        }
    }

    private static func isPlausible(
        _ reference: PageReference, _ version: UInt64, _ bounds: Range<UInt64>
    ) -> Bool {
        reference.isNone
            ? reference.birth == 0
            : bounds.contains(reference.page) && reference.birth >= 1 && reference.birth <= version
    }
}
