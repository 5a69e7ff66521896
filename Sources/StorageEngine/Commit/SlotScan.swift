/// The contents of all slots for commit records.
struct SlotScan {
    struct Slot {
        var place: RecordPlace
        var block: UInt64
        var record: CommitRecord?
        var isEmpty: Bool

        /// Holds neither a record nor zeros: torn, or damaged.
        var isDamaged: Bool { record == nil && !isEmpty }
    }

    private(set) var slots: [Slot] = []
    /// The ring, with its extension if there is one or may be one.
    private(set) var ring: CommitRing

    /// Reads all slots. The newest record in front of the pages says where the extension is. If a
    /// power loss or damage has left no such record there, the locator says it.
    init(_ file: PageFile) throws(StorageError) {
        ring = file.ring
        slots = try Self.read(ring.front, file)
        let newest = slots.compactMap(\.record).filter(\.ring.isExtended)
            .max { $0.sequence < $1.sequence }
        if let newest {
            ring = newest.ring
            slots += try Self.read(ring.behind, file)
        } else if let locator = try file.readLocator() {
            let located = file.ring.extended(at: locator.page, since: 1)
            let behind = try Self.read(located.behind, file)
            // Otherwise no record ever came with the extension, and its pages may be in use for
            // something else.
            guard behind.contains(where: { $0.record != nil }) else { return }
            ring = located
            slots += behind
        }
    }

    private static func read(
        _ slots: [CommitSlot], _ file: PageFile
    ) throws(StorageError) -> [Slot] {
        var result: [Slot] = []
        try file.readSlots(slots) { slot, block in
            let record = file.record(in: block, at: .slot(slot))
            result.append(
                Slot(
                    place: .slot(slot), block: slot.block, record: record,
                    isEmpty: record == nil && block.allSatisfy { $0 == 0 }))
        }
        return result
    }
}

/// Commit slots that hold neither a commit nor zeros, where a power loss does not explain it. With
/// full durability, a power loss damages no slot but that of the commit under way.
struct SlotDamage: Equatable, Sendable {
    /// The version that was adopted.
    var version: UInt64
    /// Blocks of the file.
    var blocks: [UInt64]
    /// The most commits that may be missing: those of damaged records, and those of valid records
    /// whose pages are not intact.
    var mostMissing: UInt64
    /// Whether a record that the map of free pages is rebuilt from is among them.
    var preventsWriting: Bool

    /// Nil where a power loss explains the contents: one torn record, behind the newest.
    ///
    /// `adopted`: the record of the version to go on with. `newest`: the newest valid record.
    /// `records`: the valid records by their numbers.
    init?(
        _ slots: [SlotScan.Slot], adopted: CommitRecord?, newest: CommitRecord,
        records: [UInt64: CommitRecord]
    ) {
        blocks = slots.filter(\.isDamaged).map(\.block)
        version = adopted?.version ?? 0
        mostMissing = UInt64(blocks.count) + newest.sequence - (adopted?.sequence ?? 0)
        preventsWriting = adopted.map { Self.isIncomplete($0, records) } ?? false
        guard
            blocks.count >= 2
                || blocks.count == 1 && (preventsWriting || adopted?.sequence != newest.sequence)
        else { return nil }
    }

    /// Whether a record since the checkpoint of this one is not in its slot.
    private static func isIncomplete(
        _ record: CommitRecord, _ records: [UInt64: CommitRecord]
    ) -> Bool {
        let first = record.checkpointSequence + 1
        return (first..<max(first, record.sequence)).contains {
            !record.place(of: $0).isPage && records[$0] == nil
        }
    }

    /// The message for users, without the name of the file.
    var description: String {
        let places = blocks.map(String.init).joined(separator: ", ")
        let one = blocks.count == 1
        return "\(blocks.count) of its commit records \(one ? "is" : "are") damaged (at block"
            + "\(one ? "" : "s") \(places) of 4096 bytes). Up to \(mostMissing) of the newest "
            + "commits may be missing: the newest that was found is version \(version). "
            + (preventsWriting
                ? "Write transactions will fail until the file is compacted. " : "")
            + "A loss of power explains this only for commits with relaxed durability. Otherwise "
            + "compare the Realm with a backup, and look after the disk."
    }
}
