/// A slot for a commit record: its number, and its block in the file.
struct CommitSlot: Hashable, Sendable {
    var number: UInt64
    var block: UInt64
}

/// The locations of the commit slots, and the choice of the slot for each record.
///
/// A new file has 8 slots in front of its pages. Once it has grown, or was written to some dozens
/// of times, 56 more lie among the pages: the *extension*, which is never freed nor moved. A record
/// that names it also names the first record that could use all slots. A file of format 5 has 64
/// slots in front of its pages.
struct CommitRing: Equatable, Sendable {
    static let fewSlots: UInt64 = 8
    static let allSlots: UInt64 = 64
    /// The size above which a file with few slots gets an extension.
    static let largestFileWithFewSlots: UInt64 = 256 << 10
    /// The number of records after which a smaller one gets it as well: it is written often, and
    /// commits take less time with it.
    static let recordsWithFewSlots: UInt64 = 64

    /// The distance in slots between consecutive records. It is odd, so that all slots are used.
    /// Records in neighbouring slots are then 27 numbers apart, or 3 in a small ring. This exceeds
    /// the number of records since a checkpoint (``maximumCheckpointAge``), so damage to two
    /// neighbouring blocks does not hit records that depend on each other.
    private static let stride: UInt64 = 19

    let slotsInFront: UInt64
    private let pageShift: UInt64
    /// The first page of the extension; 0 if there is none.
    private(set) var extensionPage: UInt64 = 0
    /// The number of the first record that could use all slots; 0 if there is no extension.
    private(set) var extensionSequence: UInt64 = 0

    init(slotsInFront: UInt64 = fewSlots, pageShift: UInt64 = 12) {
        self.slotsInFront = slotsInFront
        self.pageShift = pageShift
    }

    /// Returns this ring with an extension, if the two numbers describe one.
    func extended(at page: UInt64, since sequence: UInt64) -> CommitRing {
        var ring = self
        guard !hasAllInFront, page != 0, sequence != 0 else { return ring }
        (ring.extensionPage, ring.extensionSequence) = (page, sequence)
        return ring
    }

    /// Whether all slots are in front of the pages, so that there is never an extension: format 5.
    var hasAllInFront: Bool { slotsInFront == Self.allSlots }
    var isExtended: Bool { extensionPage != 0 }
    /// Whether the newest record could use all slots.
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

    /// Returns the slot of the record with this number.
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

    /// The slots of the extension, which are contiguous; empty without an extension.
    var behind: [CommitSlot] {
        isExtended ? (slotsInFront..<Self.allSlots).map { slot(numbered: $0) } : []
    }

    // MARK: What is needed

    /// The largest number of records with changes that follow each other. They are numbered without
    /// a gap. So the next one is in the slot of a record before those that the durable version
    /// needs, which are 21 with its own: 64 slots are more than 40 and 21.
    static let mostRecordsWithChanges: UInt64 = 40

    /// The largest number of records from one checkpoint of the free map to the next. A record and
    /// those since its checkpoint take less than a third of the ring, so there is always room for
    /// the next record beside three that are still needed (``Coordinator/sequence(after:in:)``).
    var maximumCheckpointAge: UInt64 { Self.maximumCheckpointAge(slots: hasAllSlots) }

    private static func maximumCheckpointAge(slots hasAll: Bool) -> UInt64 { hasAll ? 20 : 1 }

    /// Whether a record with number `sequence` would overwrite a slot that the older record
    /// `newest` may depend on: its own slot, or that of a record since its checkpoint.
    func wouldReplace(neededBy newest: UInt64, sequence: UInt64) -> Bool {
        guard newest != 0 else { return false }
        let count = slotCount(for: newest)
        let age = Self.maximumCheckpointAge(slots: count == Self.allSlots)
        if count == slotCount(for: sequence) { return (newest &- sequence) % count <= age }
        // The ring grew in between, so the two numbers map to slots by different rules.
        let number = slotNumber(of: sequence)
        return (newest - min(age, newest)...newest).contains { slotNumber(of: $0) == number }
    }

    // MARK: Extending

    /// The number of pages of the extension.
    var extensionPageCount: UInt64 {
        (Self.allSlots - Self.fewSlots) >> (pageShift - FileHeader.blockShift)
    }

    /// Returns the number of pages of the extension at or above `page`.
    func extensionPages(from page: UInt64) -> UInt64 {
        guard isExtended else { return 0 }
        let end = extensionPage + extensionPageCount
        return end - min(max(extensionPage, page), end)
    }

    /// The pages of the extension; empty without one.
    var extensionExtent: Extent {
        Extent(start: extensionPage, count: extensionPages(from: 0))
    }

    /// Returns the ring with an extension that the next record introduces, and that record's
    /// number. The number is `next`, or the first one after it that maps to the same slot. Recovery
    /// and other processes then find the record where they look for the next one.
    func extended(at page: UInt64, next: UInt64) -> (CommitRing, sequence: UInt64) {
        let slot = slotNumber(of: next)
        var ring = extended(at: page, since: next)
        while ring.slotNumber(of: ring.extensionSequence) != slot { ring.extensionSequence += 1 }
        return (ring, ring.extensionSequence)
    }

    /// Whether the record with number `record`, in a file of these pages, may name this ring.
    func isPlausible(in record: UInt64, within pages: Range<UInt64>) -> Bool {
        guard isExtended else { return true }
        return !hasAllInFront && extensionSequence >= 1 && extensionSequence <= record
            && slotNumber(of: extensionSequence) < slotsInFront
            && extensionPage >= pages.lowerBound && extensionPage < pages.upperBound
            && pages.upperBound - extensionPage >= extensionPageCount
    }
}
