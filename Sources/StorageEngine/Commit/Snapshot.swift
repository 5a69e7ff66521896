/// A pinned version: everything that it reaches stays readable and unchanged as long as any copy of
/// this value exists.
///
/// Immutable, and safe to share between threads: each copy keeps the pin and the mapping alive.
/// Pages of an encrypted file that are read through a snapshot are decrypted into the memory that
/// all readers of the process share.
struct Snapshot: Sendable {
    /// What keeps the version from being reused. Replaced or moved by the ``Pager`` only, and moved
    /// only while no other copy refers to it.
    fileprivate(set) var pin: VersionPin
    /// The version's record; nil for version 0, the empty database, which needs no pin.
    let record: CommitRecord?
    /// Where the version's pages are read: the mapping of the time when it was pinned. The file may
    /// have outgrown that mapping since.
    let pages: MappedPages?

    /// Version 0.
    init(emptyWith pin: VersionPin) {
        self.pin = pin
        record = nil
        pages = nil
    }

    fileprivate init(_ pin: VersionPin, record: CommitRecord?, pages: MappedPages?) {
        self.pin = pin
        self.record = record
        self.pages = pages
    }

    var version: UInt64 { record?.version ?? 0 }
    var bounds: SnapshotBounds { record?.bounds ?? .empty }
    var table: PageTable { pages?.table ?? .empty }

    /// Returns the run that `reference` names, checked.
    ///
    /// - Throws: `.damaged` when the page is not what the reference says.
    func page(_ reference: PageReference) throws(StorageError) -> UnsafeRawPointer {
        guard let pages else {
            throw pin.file.damage(reference.page, "a reference leads outside the file")
        }
        return try pin.file.page(reference, of: bounds, in: pages)
    }

    /// Returns the node that `reference` names.
    ///
    /// - Throws: `.damaged`.
    func node(_ reference: PageReference) throws(StorageError) -> Node {
        let start = try page(reference)
        guard PageHeader(start).kind == .node else {
            throw pin.file.damage(reference.page, "it is not a node")
        }
        return Node(start)
    }
}

extension SnapshotBounds {
    /// Those of version 0, which reaches nothing.
    static let empty = SnapshotBounds(version: 0, pageCount: 0)
}

// MARK: Pinning

extension Snapshot {
    /// Moves to the newest version, which is pinned from then on. A pin that other snapshots share
    /// stays where it is, and this snapshot gets another one.
    ///
    /// If a transaction that was to change the layout of tables may have become visible since the
    /// version that was read so far, that is returned, and stays pinned until ``forgetFormer()`` or
    /// ``moveBack(to:)``.
    ///
    /// - Throws: `.damaged`, `.addressSpaceExhausted`, `.fileAccess`; `.tooManyReaders` where a new
    ///   pin is needed. The snapshot then reads what it did before, with a pin that may be of
    ///   another version: end it.
    mutating func moveToNewest() throws(StorageError) -> Snapshot? {
        try moveToNewest(beforePinning: {})
    }

    /// Does the same, with a point at which tests can pause.
    @inline(__always)
    mutating func moveToNewest(
        beforePinning pause: () -> Void
    ) throws(StorageError) -> Snapshot? {
        if !isKnownUniquelyReferenced(&pin) {
            let own = try VersionPin(claimedFor: pin.database)
            try own.copy(pin)
            pin = own
        }
        pin.keepFormer()
        pause()
        let newest = try pin.newestSnapshot(reusing: pages)
        // Looked at only now: the version of such a transaction is announced before it is visible.
        guard pin.layoutVersion > version else {
            pin.forgetFormer()
            self = newest
            return nil
        }
        let former = self
        self = newest
        return former
    }

    /// What the last move has left is pinned no more.
    func forgetFormer() { pin.forgetFormer() }

    /// Reads again what the last move has left.
    mutating func moveBack(to former: Snapshot) {
        former.pin.moveBack()
        self = former
    }

    /// Moves to the version that `other` reads, with a pin of its own.
    ///
    /// - Throws: `.tooManyReaders` where a new pin is needed.
    mutating func move(to other: Snapshot) throws(StorageError) {
        if !isKnownUniquelyReferenced(&pin) { pin = try VersionPin(claimedFor: pin.database) }
        try pin.copy(other.pin)
        self = Snapshot(
            pin, record: other.record, pages: pin.currentPages(reusing: other.pages))
    }

    /// Tells those who look for what keeps a file large that this snapshot stays where it is.
    func markFrozen() { pin.markFrozen() }

    /// Moves to version 0. The version read so far is no longer pinned, unless other snapshots
    /// share the pin.
    mutating func end() {
        if isKnownUniquelyReferenced(&pin) {
            pin.unpin()
        } else {
            pin = VersionPin(unclaimedFor: pin.database)
        }
        self = Snapshot(emptyWith: pin)
    }
}

/// A slot in shared memory that keeps one version from being reused, and the open file that the
/// version is read from. The slot is released with the last snapshot that has this pin.
// Unchecked because of `slot`, which changes only while a single snapshot, used by one thread,
// refers to this pin.
final class VersionPin: @unchecked Sendable {
    /// Kept open for as long as anything is pinned.
    let database: Database
    let file: PageFile
    private let records: CommitRecords
    private let coordinator: Coordinator
    /// Nil as long as this pins nothing and no slot was claimed in advance.
    private var slot: ReaderSlot?

    /// A pin whose slot is claimed when it is needed first.
    init(unclaimedFor database: Database) {
        self.database = database
        file = database.file
        records = database.records
        coordinator = database.coordinator
    }

    /// A pin that has its slot already.
    ///
    /// - Throws: `.tooManyReaders` when all slots for connections are taken, `.usedAfterFork`.
    convenience init(claimedFor database: Database) throws(StorageError) {
        self.init(unclaimedFor: database)
        _ = try claimedSlot()
    }

    deinit { slot?.release() }

    private func claimedSlot() throws(StorageError) -> ReaderSlot {
        if let slot { return slot }
        let claimed = try coordinator.claimReader()
        slot = claimed
        return claimed
    }

    fileprivate func markFrozen() { slot?.markFrozen() }

    fileprivate var layoutVersion: UInt64 { coordinator.layoutVersion }

    fileprivate func unpin() { slot?.unpin() }

    fileprivate func keepFormer() { slot?.keepFormer() }

    fileprivate func forgetFormer() { slot?.forgetFormer() }

    fileprivate func moveBack() { slot?.moveBack() }

    fileprivate func copy(_ other: VersionPin) throws(StorageError) {
        let own = try claimedSlot()
        if let pinned = other.slot { _ = own.pin(sameAs: pinned) } else { own.unpin() }
    }

    /// Pins the newest version and reads its record.
    ///
    /// The record is read after the pin was set. A slot is used again 64 commits later, so the slot
    /// may hold another record by then, or half of one. In this case there is a newer version, and
    /// that one is pinned.
    fileprivate func newestSnapshot(
        reusing pages: MappedPages?
    ) throws(StorageError) -> Snapshot {
        let slot = try claimedSlot()
        while true {
            let newest = slot.pinLatest()
            if newest == 0 { return Snapshot(emptyWith: self) }
            if let found = try records.record(of: newest) {
                try file.map(pageCount: found.pageCount)
                return Snapshot(self, record: found, pages: currentPages(reusing: pages))
            }
            guard coordinator.visibleVersion != newest else { throw records.missing(newest) }
        }
    }

    /// The mapping that the file has now, without taking its lock if that is `known`.
    fileprivate func currentPages(reusing known: MappedPages?) -> MappedPages? {
        file.isMapped(with: known?.stamp ?? 0) ? known : file.pages
    }
}
