/// The bytes that stand for locks. Nothing is stored in them for the locks' sake.
///
/// Who may only read a file can lock it shared, for as long as it likes, and keeps everybody from
/// an exclusive lock on the same bytes. So what others must wait for is on `.lock`, which only
/// those may open who may write the data file, and nobody waits for a lock on the data file.
enum LockRanges {
    // On the data file, far from the bytes of `.lock`: a database may have a name that ends so, and
    // whoever takes one for the other must find out by what is in it, not wait for its locks.

    private static let firstOfData: Int64 = 1 << 62
    private static let sharingLength: Int64 = 1 << 20
    private static let readingLength: Int64 = 1 << 48

    /// Held exclusively by the user of a process slot, who shares memory with others. It tells
    /// those who use another `.lock`, or none, that there is somebody.
    static func sharing(_ processSlot: Int) -> System.LockRange {
        System.LockRange(start: firstOfData + Int64(processSlot), length: 1)
    }

    static let sharing = System.LockRange(start: firstOfData, length: sharingLength)

    /// Held shared by whoever reads this version without `.lock`: it is the reader's pin.
    static func reading(_ version: UInt64) -> System.LockRange {
        let offset = Int64(version % UInt64(readingLength))
        return System.LockRange(start: reading.start + offset, length: 1)
    }

    static let reading = System.LockRange(
        start: firstOfData + sharingLength, length: readingLength)

    /// Everybody's.
    static let usingAndSharing = System.LockRange(
        start: firstOfData, length: sharingLength + readingLength)

    // On `.lock`.

    static let writing = System.LockRange(start: 0, length: 1)
    /// Held exclusively by whoever opens, until recovery is finished, or closes, or replaces the
    /// file.
    static let opening = System.LockRange(start: 1, length: 1)

    /// Held exclusively while the file becomes longer. Whoever holds it waits for no lock.
    static let growing = System.LockRange(start: 2, length: 1)

    private static let firstProcess: Int64 = 1024

    /// Held exclusively for as long as the user of the process slot lives.
    static func process(_ index: Int) -> System.LockRange {
        System.LockRange(start: firstProcess + Int64(index), length: 1)
    }

    static let allProcesses = System.LockRange(
        start: firstProcess, length: Int64(SharedRegion.processSlotCount))
}
