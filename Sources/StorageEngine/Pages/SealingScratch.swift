import Glibc

/// Memory for the sealed images of one commit's runs, which are contiguous.
///
/// Used by one thread at a time.
struct SealingScratch {
    /// The capacity that is kept between commits, enough for small ones.
    private static let keptCapacity = 256 << 10

    private var start: UnsafeMutableRawPointer?
    private var capacity = 0

    /// Returns memory with undefined contents. Invalidates memory returned before.
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

    /// Frees memory that only a large commit needs.
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
