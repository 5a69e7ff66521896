/// The block that makes a commit a version: where everything that the version reaches is found.
///
/// The layout is in `docs/design.md`. Encoding never fails: the caller asks first whether lists
/// fit (``fits(pageList:log:version:)``), and leaves out those that do not.
struct CommitRecord: Equatable, Sendable {
    /// Bytes of a record, and of the slot that holds it.
    static let size = 4096

    /// Upper bounds of the numbers in a record, so that no sum of them overflows: a century of one
    /// version each nanosecond, and an exabyte of pages of 4096 bytes.
    private static let maximumVersion: UInt64 = 1 << 62
    static let maximumPageCount: UInt64 = 1 << 48

    /// Bytes of a slot that a record may use: an encrypted file needs the rest for a seal.
    static let contentSize = size - Seal.size
    /// Offset of roots, lists and chain.
    private static let listOffset = 176
    /// The same in a file of format 5, whose records do not say where the ring's extension is.
    private static let earlierListOffset = 160
    /// Bytes that ``inlineRoots`` may take.
    static let inlineRootsCapacity = 1024
    /// The most records that ``RecordChain`` may name.
    static let chainCapacity = 32
    /// Bytes that the two lists may take, however many roots and records are named: so whether a
    /// record has room for the lists is known before roots and records are.
    static let listCapacity =
        contentSize - listOffset - inlineRootsCapacity
        - chainCapacity * RecordChain.maximumEntrySize
    private static let flag: UInt32 = 1 << 31
    private static let carriesChangesFlag: UInt32 = 1 << 30
    private static let restsOnChangesFlag: UInt32 = 1 << 29
    /// Bits of the word with the number of listed pages that hold the number.
    private static let countBits: UInt32 = 1 << 29 - 1

    /// The version of the newest transaction of the group.
    var version: UInt64
    /// The number of the record. Mostly one more than that of the record before, while the version
    /// may be several more. Greater steps pass over slots that are still needed: such a record
    /// comes with a checkpoint, so no number is missing between a checkpoint's record and one that
    /// relies on it.
    var sequence: UInt64
    /// A random number that tells apart two commits that became the same version in two copies of
    /// a file.
    var commitID: UInt64
    /// The sequence number of a record that was known to be durable when this one was written, as a
    /// rule the newest.
    var durableFloor: UInt64
    /// Pages of the file, headers included.
    var pageCount: UInt64
    /// The root of the forest, in which all roots are found; none where they are in `inlineRoots`.
    var root: PageReference
    /// Pages in use, without those that wait to be free.
    var livePages: UInt64
    /// The newest checkpoint of the free map; its birth is the version it describes.
    var checkpoint: PageReference
    /// The sequence number of the record that it came with.
    var checkpointSequence: UInt64
    /// The hash of the seals of all runs in `pageList`.
    var pageListHash: UInt64
    /// Whether the pages were durable before this record was written: no list vouches for them.
    var pagesWereSynced: Bool
    /// Whether recovery needs the changes that the records after the durable floor carry, up to the
    /// one before this.
    var restsOnChanges = false
    /// Where this record is.
    var place: RecordPlace
    /// The slots that there are for records.
    var ring = CommitRing()
    /// The window of the records among the pages that follow this one, up to the next record in its
    /// slot.
    var window: RecordWindow = .none
    /// The window of the records among the pages that follow the next record in its slot: so no
    /// single damaged block hides the commits after it.
    var nextWindow: RecordWindow = .none
    /// The ``commitID`` of the newest record in a slot, up to this one. Records among the pages
    /// belong to that record.
    var slotID: UInt64 = 0
    /// The same of the record in a slot before that.
    var earlierSlotID: UInt64 = 0
    /// The parts of variable length. Every transaction copies records, so copies share these: one
    /// reference to count instead of four.
    var lists: Lists

    final class Lists: Equatable, Sendable {
        /// The roots themselves, where they are few: a page less to write. Their layout is the
        /// business of the layers above.
        let inlineRoots: [UInt8]
        /// The pages that this commit wrote, and those that commits since the durable floor wrote
        /// and this version still reaches: all that a power loss may have taken. Empty where
        /// `pagesWereSynced`.
        let pageList: [Extent]
        /// What the commit did to the free map. Nil where it did not fit; then `checkpoint` is of
        /// this version.
        let log: FreeSpaceLog?
        /// Records before this one that are among the pages.
        let chain: RecordChain
        /// What the commit changed in its runs (``PageChanges``): then the record was made durable
        /// alone, and lists no pages. Nil where the pages were synced with the record.
        let changes: [UInt8]?

        init(
            inlineRoots: [UInt8] = [], pageList: [Extent] = [], log: FreeSpaceLog?,
            chain: RecordChain = RecordChain(), changes: [UInt8]? = nil
        ) {
            self.changes = changes
            self.inlineRoots = inlineRoots
            self.pageList = pageList
            self.log = log
            self.chain = chain
        }

        static func == (one: Lists, other: Lists) -> Bool {
            one === other
                || one.inlineRoots == other.inlineRoots && one.pageList == other.pageList
                    && one.log == other.log && one.chain == other.chain
                    && one.changes == other.changes
        }
    }

    var inlineRoots: [UInt8] { lists.inlineRoots }
    var pageList: [Extent] { lists.pageList }
    var log: FreeSpaceLog? { lists.log }
    var chain: RecordChain { lists.chain }
    var changes: [UInt8]? { lists.changes }
    var carriesChanges: Bool { changes != nil }

    /// Makes the record carry the changes of its commit, and list no pages.
    mutating func carry(_ changes: [UInt8]) {
        lists = Lists(inlineRoots: inlineRoots, log: log, chain: chain, changes: changes)
        pageListHash = 0
    }

    /// The most bytes of changes that it has room for.
    var roomForChanges: Int {
        let lists = (log?.byteCount(freedBy: version) ?? 0) + chain.maximumByteCount
        return Self.contentSize - Self.listOffset - inlineRoots.count - lists
            - VariableLengthInteger.maximumByteCount
    }

    /// Makes the record vouch for these pages, whose seals have this hash.
    mutating func vouch(for pages: [Extent], _ hash: PageListHash) {
        let pages = pagesWereSynced ? [] : pages
        if pages != pageList {
            lists = Lists(
                inlineRoots: inlineRoots, pageList: pages, log: log, chain: chain)
        }
        pageListHash = pagesWereSynced ? 0 : hash.value
    }

    /// What the record says of the free space; nil where it has no log.
    var freeSpaceStep: FreeSpaceStep? {
        log.map {
            FreeSpaceStep(version: version, pageCount: pageCount, livePages: livePages, log: $0)
        }
    }

    /// Upper bounds of page numbers and births that the version reaches.
    var bounds: SnapshotBounds { SnapshotBounds(version: version, pageCount: pageCount) }

    /// Whether this record is the one that the ring's extension came with.
    var extendsRing: Bool { ring.isExtended && ring.extensionSequence == sequence }

    /// The place of the record with this number: this record, or an earlier one that is still
    /// there.
    func place(of sequence: UInt64) -> RecordPlace {
        if sequence == self.sequence { return place }
        return chain.place(of: sequence) ?? ring.place(of: sequence)
    }

    /// Whether this record, or one since its checkpoint, is to be in that place.
    func needs(_ place: RecordPlace) -> Bool {
        (checkpointSequence...sequence).contains { self.place(of: $0) == place }
    }

    /// Whether `record`, which is among the pages, belongs to this record's slot, or to the slot
    /// after it, which is damaged. Numbers are not enough: a power loss may have left a record in a
    /// window that was not searched since.
    func isFollowed(by record: CommitRecord) -> Bool {
        record.sequence > sequence && record.sequence - sequence < CommitRing.allSlots
            && (record.slotID == slotID || record.earlierSlotID == slotID)
    }

    /// Counts the pages from `page` on that are in use although the version does not reach them:
    /// this record's, those of records before it, and those of the ring.
    func recordPages(from page: UInt64 = 1) -> UInt64 {
        UInt64(chain.entries.count { $0.page >= page }) + (place.page >= page ? 1 : 0)
            + ring.extensionPages(from: page)
    }

    /// The records among the pages that the next one names.
    var chainOfNext: RecordChain {
        guard case .page(let page) = place else { return chain }
        return chain.adding(
            RecordChain.Entry(sequence: sequence, version: version, page: page))
    }

    /// Bytes that the two lists take.
    var listByteCount: Int {
        ExtentCoding.byteCount(of: pageList) + (log?.byteCount(freedBy: version) ?? 0)
    }

    /// Whether the record of `version` has room for both lists.
    static func fits(pageList: [Extent], log: FreeSpaceLog?, version: UInt64) -> Bool {
        let logBytes = log?.byteCount(freedBy: version) ?? 0
        return ExtentCoding.byteCount(of: pageList) + logBytes <= listCapacity
    }
}

// MARK: Bytes

extension CommitRecord {
    func encode(fileSeed: UInt64) -> [UInt8] {
        precondition(Self.fits(pageList: pageList, log: log, version: version))
        precondition(inlineRoots.count <= Self.inlineRootsCapacity)
        var lists: [UInt8] = []
        lists.reserveCapacity(
            listByteCount + chain.maximumByteCount + (changes?.count ?? 0)
                + VariableLengthInteger.maximumByteCount)
        ExtentCoding.append(pageList, to: &lists)
        log?.append(freedBy: version, to: &lists)
        chain.append(of: self, to: &lists)
        if let changes {
            VariableLengthInteger.append(UInt64(changes.count), to: &lists)
            lists += changes
        }
        let logCount = log.map { UInt32($0.extentCount) } ?? Self.flag
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
            store(checkpointSequence, at: 80)
            store(pageListHash, at: 88)
            store(
                UInt32(pageList.count) | (pagesWereSynced ? Self.flag : 0)
                    | (carriesChanges ? Self.carriesChangesFlag : 0)
                    | (restsOnChanges ? Self.restsOnChangesFlag : 0), at: 96)
            store(logCount, at: 100)
            store(sequence, at: 104)
            store(UInt32(inlineRoots.count), at: 112)
            store(UInt32(chain.entries.count), at: 116)
            store(place.page, at: 120)
            store(window.start, at: 128)
            store(nextWindow.start, at: 136)
            store(slotID, at: 144)
            store(earlierSlotID, at: 152)
            let rootsStart = Self.listOffset(in: ring)
            if rootsStart == Self.listOffset {
                store(ring.extensionPage, at: 160)
                store(ring.extensionSequence, at: 168)
            }
            let listsStart = rootsStart + inlineRoots.count
            UnsafeMutableRawBufferPointer(rebasing: bytes[rootsStart..<listsStart])
                .copyBytes(from: inlineRoots)
            UnsafeMutableRawBufferPointer(rebasing: bytes[listsStart...]).copyBytes(from: lists)
            store(Self.checksum(UnsafeRawBufferPointer(bytes), fileSeed: fileSeed), at: 0)
        }
        return block
    }

    private static func listOffset(in ring: CommitRing) -> Int {
        ring.hasAllInFront ? earlierListOffset : listOffset
    }

    private static func checksum(_ block: UnsafeRawBufferPointer, fileSeed: UInt64) -> UInt64 {
        Checksum.hash(UnsafeRawBufferPointer(rebasing: block[8..<size]), seed: fileSeed)
    }

    /// The sequence number of a block, provided that it is a record.
    static func uncheckedSequence(in block: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(littleEndian: block.loadUnaligned(fromByteOffset: 104, as: UInt64.self))
    }

    /// Decodes the record at `place`; nil for an empty slot, a torn block, a block of another file
    /// or place, and one that contradicts itself. `ring`: that of a new file of this kind.
    init?(
        _ block: UnsafeRawBufferPointer, at place: RecordPlace, fileSeed: UInt64, firstPage: UInt64,
        ring: CommitRing = CommitRing()
    ) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func half(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard block.count == Self.size, word(0) == Self.checksum(block, fileSeed: fileSeed)
        else { return nil }
        version = word(8)
        sequence = Self.uncheckedSequence(in: block)
        commitID = word(16)
        durableFloor = word(24)
        pageCount = word(32)
        root = PageReference(page: word(40), birth: word(48))
        livePages = word(56)
        checkpoint = PageReference(page: word(64), birth: word(72))
        checkpointSequence = word(80)
        pageListHash = word(88)
        pagesWereSynced = half(96) & Self.flag != 0
        restsOnChanges = half(96) & Self.restsOnChangesFlag != 0
        self.place = place
        window = RecordWindow(start: word(128))
        nextWindow = RecordWindow(start: word(136))
        slotID = word(144)
        earlierSlotID = word(152)
        let rootsStart = Self.listOffset(in: ring)
        self.ring =
            rootsStart == Self.listOffset ? ring.extended(at: word(160), since: word(168)) : ring
        guard word(120) == place.page, place.isPage || place == self.ring.place(of: sequence),
            !place.isPage || place.page >= firstPage && place.page < pageCount
        else { return nil }
        guard version <= Self.maximumVersion, sequence >= 1, sequence <= Self.maximumVersion,
            durableFloor < sequence,
            pageCount >= firstPage, pageCount <= Self.maximumPageCount,
            livePages <= pageCount - firstPage, checkpointSequence <= sequence,
            checkpoint.birth == version || checkpointSequence < sequence,
            Self.isPlausible(root, version, within: firstPage..<pageCount),
            Self.isPlausible(checkpoint, version, within: firstPage..<pageCount),
            rootsStart != Self.listOffset || (word(160) == 0) == (word(168) == 0),
            self.ring.isPlausible(in: sequence, within: firstPage..<pageCount),
            sequence - checkpointSequence <= self.ring.maximumCheckpointAge,
            half(112) <= Self.inlineRootsCapacity, half(112) == 0 || root.isNone,
            max(window.start, nextWindow.start) < Self.maximumPageCount
        else { return nil }
        let listsStart = rootsStart + Int(half(112))

        let bounds = firstPage..<pageCount
        var reader = VariableLengthIntegerReader(
            UnsafeRawBufferPointer(rebasing: block[listsStart...]))
        guard
            let list = ExtentCoding.decode(
                count: UInt64(half(96) & Self.countBits), within: bounds, from: &reader)
        else { return nil }
        var log: FreeSpaceLog?
        let logCount = UInt64(half(100))
        if logCount & UInt64(Self.flag) != 0 {
            guard checkpoint.birth == version else { return nil }
        } else {
            guard
                let decoded = FreeSpaceLog(
                    count: logCount, within: bounds, freedBy: version, from: &reader)
            else { return nil }
            log = decoded
        }
        guard
            let chain = RecordChain(
                count: UInt64(half(116)), before: sequence, version: version, within: bounds,
                from: &reader)
        else { return nil }
        var changes: [UInt8]?
        if half(96) & Self.carriesChangesFlag != 0 {
            guard list.isEmpty, log != nil, !pagesWereSynced, let count = reader.next(),
                let bytes = reader.take(count)
            else { return nil }
            changes = Array(bytes)
        }
        lists = Lists(
            inlineRoots: Array(block[rootsStart..<listsStart]), pageList: list, log: log,
            chain: chain, changes: changes)
    }

    private static func isPlausible(
        _ reference: PageReference, _ version: UInt64, within bounds: Range<UInt64>
    ) -> Bool {
        reference.isNone
            ? reference.birth == 0
            : bounds.contains(reference.page) && reference.birth >= 1 && reference.birth <= version
    }
}
