/// The byte ranges that represent locks. Locking a byte does not require it to be stored.
///
/// A user who may only read a file can hold a shared lock on it for any length of time, which
/// prevents exclusive locks on the same bytes. So every lock that a process waits for is on
/// `.lock`, which can be opened only by users who may write the data file. No process waits for a
/// lock on the data file.
enum LockRanges {
    // Ranges on the data file. They are far from the bytes of `.lock`: a database may have a name
    // that ends in `.lock`, and a process that takes one file for the other must find out from its
    // contents instead of waiting for its locks.

    private static let firstOfData: Int64 = 1 << 62
    private static let sharingLength: Int64 = 1 << 20
    private static let readingLength: Int64 = 1 << 48

    /// The lock that the user of a process slot, who shares memory with others, holds exclusively.
    /// It makes the user known to processes that use another `.lock` or none.
    static func sharing(_ processSlot: Int) -> System.LockRange {
        System.LockRange(start: firstOfData + Int64(processSlot), length: 1)
    }

    static let sharing = System.LockRange(start: firstOfData, length: sharingLength)

    /// The lock that a reader of this version without `.lock` holds shared, as its pin.
    static func reading(_ version: UInt64) -> System.LockRange {
        let offset = Int64(version % UInt64(readingLength))
        return System.LockRange(start: reading.start + offset, length: 1)
    }

    static let reading = System.LockRange(
        start: firstOfData + sharingLength, length: readingLength)

    /// The ranges of all users together.
    static let usingAndSharing = System.LockRange(
        start: firstOfData, length: sharingLength + readingLength)

    // Ranges on `.lock`.

    static let writing = System.LockRange(start: 0, length: 1)
    /// The lock that a process holds exclusively while it closes or replaces the file, or opens it,
    /// until recovery has finished.
    static let opening = System.LockRange(start: 1, length: 1)

    /// The lock that is held exclusively while the file is extended. Its holder waits for no other
    /// lock.
    static let growing = System.LockRange(start: 2, length: 1)

    private static let firstProcess: Int64 = 1024

    /// The lock that the user of the process slot holds exclusively for its lifetime.
    static func process(_ index: Int) -> System.LockRange {
        System.LockRange(start: firstProcess + Int64(index), length: 1)
    }

    static let allProcesses = System.LockRange(
        start: firstProcess, length: Int64(SharedRegion.processSlotCount))
}
