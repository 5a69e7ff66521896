/// Where pages of a file are read: address space for so many of them, mapped as the file grows.
///
/// A file that outgrows it gets another one, several times as large, in which all of it is mapped
/// anew. Whoever reads a version keeps the one that it began to read it with, and with it every
/// pointer into its pages; the last one who leaves it gives its address space back. So a lookup
/// needs an address and no list of segments, and a small file takes little.
// Unchecked because of the raw pointers: they are set once, the mapped file is only read, the page
// words are accessed atomically, and decrypted pages are written under `installing`, before the
// page word says that they are there.
final class MappedPages: @unchecked Sendable {
    let ranges: AddressRanges
    let table: PageTable
    /// Which of the file's, in the order in which they were made, from 1.
    let stamp: UInt64
    /// Held while decrypted pages are put in their place.
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
    /// For each page the birth with which it was checked in this process; 0, or a number that is no
    /// birth, where it was not.
    var checkedBirths: UnsafeMutablePointer<UInt64> { table.checkedBirths }

    /// Says that this process has checked, or itself written, the run, and that it is to be read at
    /// its place.
    func markChecked(_ reference: PageReference) {
        (checkedBirths + Int(reference.page)).storeRelease(reference.birth)
    }
}

/// What finds a checked page: three words, of which each connection has its own copy.
struct PageTable {
    /// Where page 0 is read, once checked.
    let base: UnsafeRawPointer
    let checkedBirths: UnsafeMutablePointer<UInt64>
    let pageShift: UInt64

    /// Of a file of which nothing is mapped: no page is looked up, because no snapshot has any.
    // Unsafe because of the pointers, which are never followed.
    nonisolated(unsafe) static let empty = PageTable(
        base: UnsafeRawPointer(bitPattern: 8)!,
        checkedBirths: UnsafeMutablePointer(bitPattern: 8)!, pageShift: 0)

    /// The run if it has been checked, or was written by this process.
    @inline(__always)
    func checkedPage(
        _ reference: PageReference, of snapshot: SnapshotBounds
    ) -> UnsafeRawPointer? {
        // Birth 0 wraps around and fails; so does anything younger than the snapshot.
        guard reference.birth &- 1 < snapshot.version, reference.page < snapshot.pageCount,
            (checkedBirths + Int(truncatingIfNeeded: reference.page)).loadAcquire()
                == reference.birth
        else { return nil }
        return address(of: reference.page)
    }

    /// Where a page would be: of one that is not mapped, the address of nothing.
    @inline(__always)
    func address(of page: UInt64) -> UnsafeRawPointer {
        base + Int(truncatingIfNeeded: page &<< pageShift)
    }
}
