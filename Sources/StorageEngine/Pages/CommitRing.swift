/// A slot for commit records: its number, and the block of the file that it is.
struct CommitSlot: Hashable, Sendable {
    var number: UInt64
    var block: UInt64
}

/// Where the slots for commit records are, and which of them a record takes.
///
/// A new file has 8 slots, in front of its pages. When it has grown, 56 more lie among the pages: the
/// *extension*, which is never freed nor moved. Who says where it is says as well from which record on
/// the ring has all of them. A file of format 5 has 64 in front of its pages.
struct CommitRing: Equatable, Sendable {
    static let fewSlots: UInt64 = 8
    static let allSlots: UInt64 = 64
    /// A file with few slots that becomes larger than this gets the others.
    static let largestFileWithFewSlots: UInt64 = 256 << 10

    /// Records that follow each other are so many slots apart. Odd, so that all slots are used. Of
    /// slots that are neighbours in the file, the records are then 27 numbers apart, or 3 where there
    /// are few slots: more than a record and those since its checkpoint (``maximumCheckpointAge``).
    private static let stride: UInt64 = 19

    let slotsInFront: UInt64
    private let pageShift: UInt64
    /// The first page of the extension; 0: there is none.
    private(set) var extensionPage: UInt64 = 0
    /// The number of the first record that had all slots to choose from; 0: there is no extension.
    private(set) var extensionSequence: UInt64 = 0

    init(slotsInFront: UInt64 = fewSlots, pageShift: UInt64 = 12) {
        self.slotsInFront = slotsInFront
        self.pageShift = pageShift
    }

    /// The same with an extension, if the two numbers are those of one.
    func extended(at page: UInt64, since sequence: UInt64) -> CommitRing {
        var ring = self
        guard !hasAllInFront, page != 0, sequence != 0 else { return ring }
        (ring.extensionPage, ring.extensionSequence) = (page, sequence)
        return ring
    }

    /// Whether the slots in front of the pages are all that there will be: format 5.
    var hasAllInFront: Bool { slotsInFront == Self.allSlots }
    var isExtended: Bool { extensionPage != 0 }
    /// Whether the newest record has all slots to choose from.
    var hasAllSlots: Bool { hasAllInFront || isExtended }

    // MARK: Numbers

    private func slotCount(for sequence: UInt64) -> UInt64 {
        hasAllInFront || isExtended && sequence >= extensionSequence
            ? Self.allSlots : Self.fewSlots
    }

    private func slotNumber(of sequence: UInt64) -> UInt64 {
        if hasAllInFront { return sequence % Self.allSlots }
        return (sequence &* Self.stride) % slotCount(for: sequence)
    }

    /// The slot of the record with this number.
    func slot(of sequence: UInt64) -> CommitSlot { slot(numbered: slotNumber(of: sequence)) }

    func place(of sequence: UInt64) -> RecordPlace { .slot(slot(of: sequence)) }

    func slot(numbered number: UInt64) -> CommitSlot {
        let block =
            number < slotsInFront
            ? FileHeader.slotsOffset / FileHeader.blockSize + number
            : extensionPage << (pageShift - FileHeader.blockShift) + number - slotsInFront
        return CommitSlot(number: number, block: block)
    }

    var front: [CommitSlot] { (0..<slotsInFront).map { slot(numbered: $0) } }

    /// Those of the extension, one behind the other; none without one.
    var behind: [CommitSlot] {
        isExtended ? (slotsInFront..<Self.allSlots).map { slot(numbered: $0) } : []
    }

    // MARK: What is needed

    /// The free map is written as a checkpoint at least this often, in records. A record with those
    /// since its checkpoint takes less than a third of the ring, so that there is always room for the
    /// next one beside three of them that are still needed (``Coordinator/sequence(after:in:)``).
    var maximumCheckpointAge: UInt64 { Self.maximumCheckpointAge(slots: hasAllSlots) }

    private static func maximumCheckpointAge(slots hasAll: Bool) -> UInt64 { hasAll ? 20 : 1 }

    /// Whether a record with this number would be put in the place of one that the record `newest`,
    /// which is older, may rely on: itself, or one since its checkpoint.
    func wouldReplace(neededBy newest: UInt64, sequence: UInt64) -> Bool {
        guard newest != 0 else { return false }
        let count = slotCount(for: newest)
        let age = Self.maximumCheckpointAge(slots: count == Self.allSlots)
        if count == slotCount(for: sequence) { return (newest &- sequence) % count <= age }
        // The first records that have all slots to choose from.
        let number = slotNumber(of: sequence)
        return (newest - min(age, newest)...newest).contains { slotNumber(of: $0) == number }
    }

    // MARK: Extending

    /// Pages of the extension.
    var extensionPageCount: UInt64 {
        (Self.allSlots - Self.fewSlots) >> (pageShift - FileHeader.blockShift)
    }

    /// What the extension has in use from `page` on.
    func extensionPages(from page: UInt64) -> UInt64 {
        guard isExtended else { return 0 }
        let end = extensionPage + extensionPageCount
        return end - min(max(extensionPage, page), end)
    }

    /// The pages of the extension; empty without one.
    var extensionExtent: Extent {
        Extent(start: extensionPage, count: extensionPages(from: 0))
    }

    /// The ring with an extension that the next record comes with, and that record's number: `next`,
    /// or as many more as it takes to come to the same slot. So whoever looks where the next record
    /// would be finds this one.
    func extended(at page: UInt64, next: UInt64) -> (CommitRing, sequence: UInt64) {
        let slot = slotNumber(of: next)
        var ring = extended(at: page, since: next)
        while ring.slotNumber(of: ring.extensionSequence) != slot { ring.extensionSequence += 1 }
        return (ring, ring.extensionSequence)
    }

    /// Whether a record may say this: of a file of so many pages.
    func isPlausible(in record: UInt64, within pages: Range<UInt64>) -> Bool {
        guard isExtended else { return true }
        return !hasAllInFront && extensionSequence >= 1 && extensionSequence <= record
            && slotNumber(of: extensionSequence) < slotsInFront
            && extensionPage >= pages.lowerBound && extensionPage < pages.upperBound
            && pages.upperBound - extensionPage >= extensionPageCount
    }
}
