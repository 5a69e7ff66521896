/// The address space in which pages of a file are read, mapped as the file grows.
///
/// A file that outgrows it gets another one, several times as large, in which all of the file is
/// mapped again. A reader of a version keeps the address space with which it began, and with it
/// every pointer into its pages. The last reader to leave it releases it. A lookup thus needs one
/// address and no list of segments, and a small file takes little.
// Unchecked because of the raw pointers. They are set once, the mapped file is only read, the page
// words are accessed atomically, and decrypted pages are written under `installing`, before the
// page word announces them.
final class MappedPages: @unchecked Sendable {
    let ranges: AddressRanges
    let table: PageTable
    /// The ordinal of this address space among those of the file, from 1.
    let stamp: UInt64
    /// Held while decrypted pages are installed in their places.
    let installing: Locked<DecryptedPlaces>
    private let memory: DecryptedMemory

    init(
        _ ranges: AddressRanges, pageShift: UInt64, stamp: UInt64, memory: DecryptedMemory
    ) {
        self.ranges = ranges
        self.stamp = stamp
        self.memory = memory
        table = PageTable(
            base: UnsafeRawPointer(ranges.decrypted ?? ranges.file),
            checkedBirths: ranges.pageWords, pageShift: pageShift)
        installing = Locked(DecryptedPlaces(base: table.base, memory: memory))
    }

    deinit {
        ranges.release()
        memory.giveBack(installing.withLock { $0.byteCount })
    }

    var base: UnsafeRawPointer { table.base }
    /// For each page, the birth with which this process has checked it. For a page that it has not
    /// checked, 0 or a number that is no birth.
    var checkedBirths: UnsafeMutablePointer<UInt64> { table.checkedBirths }

    /// Whether readers find the run in its place, checked.
    func isChecked(_ reference: PageReference) -> Bool {
        (checkedBirths + Int(reference.page)).loadAcquire() == reference.birth
    }

    /// Records that this process has checked, or itself written, the run, and that readers find it
    /// in its place.
    func markChecked(_ reference: PageReference) {
        (checkedBirths + Int(reference.page)).storeRelease(reference.birth)
    }
}

/// The lookup table for checked pages: three words, of which each connection has its own copy.
struct PageTable {
    /// The address at which page 0 is read, once it is checked.
    let base: UnsafeRawPointer
    let checkedBirths: UnsafeMutablePointer<UInt64>
    let pageShift: UInt64

    /// The table of a file of which nothing is mapped. No page is looked up, because no snapshot
    /// has any.
    // Unsafe because of the pointers, which are never dereferenced.
    nonisolated(unsafe) static let empty = PageTable(
        base: UnsafeRawPointer(bitPattern: 8)!,
        checkedBirths: UnsafeMutablePointer(bitPattern: 8)!, pageShift: 0)

    /// Returns the run if it has been checked, or was written, by this process.
    @inline(__always)
    func checkedPage(
        _ reference: PageReference, of snapshot: SnapshotBounds
    ) -> UnsafeRawPointer? {
        // Birth 0 wraps around and fails, and so does any birth after the snapshot's version.
        guard reference.birth &- 1 < snapshot.version, reference.page < snapshot.pageCount,
            (checkedBirths + Int(truncatingIfNeeded: reference.page)).loadAcquire()
                == reference.birth
        else { return nil }
        return address(of: reference.page)
    }

    /// Returns the address of a page, which is meaningless if the page is not mapped.
    @inline(__always)
    func address(of page: UInt64) -> UnsafeRawPointer {
        base + Int(truncatingIfNeeded: page &<< pageShift)
    }
}
