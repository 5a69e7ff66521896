import Glibc

/// Memory in which one commit at a time has the sealed images of its runs, one behind the other.
///
/// Used by one thread at a time.
struct SealingScratch {
    /// What is kept between commits: small ones need no more.
    private static let keptCapacity = 256 << 10

    private var start: UnsafeMutableRawPointer?
    private var capacity = 0

    /// Undefined contents; what was there before becomes invalid.
    mutating func memory(byteCount: Int) -> UnsafeMutableRawPointer {
        if byteCount > capacity || start == nil {
            tearDown()
            let wanted = max(byteCount, Self.keptCapacity)
            let result = posix_memalign(&start, 4096, wanted)
            precondition(result == 0, "out of memory")
            capacity = wanted
        }
        return start!
    }

    /// Gives back what a large commit took.
    mutating func reset() {
        if capacity > Self.keptCapacity { tearDown() }
    }

    /// Frees all memory.
    mutating func tearDown() {
        free(start)
        start = nil
        capacity = 0
    }
}
