/// The commit records of one open file, as this process knows them.
///
/// Used by any thread.
final class CommitRecords: Sendable {
    private struct Known {
        /// The newest record seen so far. Saves reading its slot.
        var newest: CommitRecord?
        /// Damaged slots that were found when this process recovered the file.
        var slotDamage: SlotDamage?
        /// Whether users of the file were told of the damage.
        var isDamageReported = false
    }

    private let file: PageFile
    private let coordinator: Coordinator
    private let known: Locked<Known>

    init(
        _ file: PageFile, _ coordinator: Coordinator, newest: CommitRecord?,
        slotDamage: SlotDamage?
    ) {
        self.file = file
        self.coordinator = coordinator
        known = Locked(Known(newest: newest, slotDamage: slotDamage))
    }

    /// Returns the record of a version, or nil if its place holds another record by now: then newer
    /// versions exist.
    func record(of version: UInt64) throws(StorageError) -> CommitRecord? {
        if let newest = known.withLock({ $0.newest }), newest.version == version { return newest }
        let record = try file.readRecord(of: version, newestIn: coordinator)
        if let record { remember(record) }
        return record
    }

    /// Returns the record of the newest visible version; nil for version 0.
    func newestRecord() throws(StorageError) -> CommitRecord? {
        while true {
            let version = coordinator.visibleVersion
            if version == 0 { return nil }
            if let record = try record(of: version) { return record }
            guard coordinator.visibleVersion != version else { throw missing(version) }
        }
    }

    /// Keeps a record that this process read or wrote, unless a newer one is known.
    func remember(_ record: CommitRecord) {
        known.withLock {
            if ($0.newest?.version ?? 0) <= record.version { $0.newest = record }
        }
    }

    /// The error for a visible version whose record cannot be found.
    func missing(_ version: UInt64) -> StorageError {
        StorageError(
            .damaged, path: file.path,
            message: "Realm at path '\(file.path)' is damaged: the commit record of version "
                + "\(version) is not valid. Restore the file from a backup.")
    }

    // MARK: Damaged slots

    /// Damaged slots that were found when this process recovered the file.
    var slotDamage: SlotDamage? { known.withLock { $0.slotDamage } }

    /// Adds damage that was found in the file which this one has replaced.
    func add(_ damage: SlotDamage?) {
        known.withLock { if $0.slotDamage == nil { $0.slotDamage = damage } }
    }

    /// Returns the damage once; nil from then on.
    func takeUnreportedDamage() -> SlotDamage? {
        known.withLock {
            guard let damage = $0.slotDamage, !$0.isDamageReported else { return nil }
            $0.isDamageReported = true
            return damage
        }
    }
}
