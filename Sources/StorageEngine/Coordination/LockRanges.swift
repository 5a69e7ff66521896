/// The bytes that stand for locks. Nothing is stored in them for the locks' sake.
enum LockRanges {
    // On the data file. Every user holds the first byte shared. Users that take part in shared
    // memory also hold the second; readers that cannot reach `.lock` do not.

    //
    // Far from the bytes of `.lock`: a database may have a name that ends so, and whoever takes one
    // for the other must find out by what is in it, not wait for its locks.

    private static let firstOfData: Int64 = 1 << 62
    static let using = System.LockRange(start: firstOfData, length: 1)
    static let sharing = System.LockRange(start: firstOfData + 1, length: 1)
    static let usingAndSharing = System.LockRange(start: firstOfData, length: 2)

    // On `.lock`.

    static let writing = System.LockRange(start: 0, length: 1)
    /// Held exclusively by whoever opens, until recovery is finished, or closes.
    static let opening = System.LockRange(start: 1, length: 1)

    private static let firstProcess: Int64 = 1024

    /// Held exclusively for as long as the user of the process slot lives.
    static func process(_ index: Int) -> System.LockRange {
        System.LockRange(start: firstProcess + Int64(index), length: 1)
    }

    static let allProcesses = System.LockRange(
        start: firstProcess, length: Int64(SharedRegion.processSlotCount))
}
