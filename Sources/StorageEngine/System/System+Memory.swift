import CRealmSystem
import Glibc

/// Address space, mapped files, and sleeping on a word of memory.
extension System {
    /// Reserves address space without memory behind it. Touching it is a fault until a file is
    /// mapped there.
    package static func reserve(length: Int) throws(SystemFailure) -> UnsafeMutableRawPointer {
        try map(
            at: nil, length: length, protection: PROT_NONE,
            flags: MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE), descriptor: -1, offset: 0)
    }

    /// Unmaps part of a reserved range, which stays reserved.
    package static func reserve(
        at address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        _ = try map(
            at: address, length: length, protection: PROT_NONE,
            flags: MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | Int32(MAP_NORESERVE), descriptor: -1,
            offset: 0)
    }

    /// Maps part of a file for reading at a given address, which must lie in a reserved range.
    package static func mapFile(
        _ descriptor: Int32, offset: UInt64, length: Int,
        at address: UnsafeMutableRawPointer
    ) throws(SystemFailure) {
        _ = try map(
            at: address, length: length, protection: PROT_READ, flags: MAP_SHARED | MAP_FIXED,
            descriptor: descriptor, offset: offset)
    }

    /// Maps the beginning of a file for reading and writing, shared with every process.
    package static func mapShared(
        _ descriptor: Int32, length: Int
    ) throws(SystemFailure) -> UnsafeMutableRawPointer {
        try map(
            at: nil, length: length, protection: PROT_READ | PROT_WRITE, flags: MAP_SHARED,
            descriptor: descriptor, offset: 0)
    }

    /// Maps zeroed memory for this process alone.
    package static func mapPrivate(
        length: Int
    ) throws(SystemFailure) -> UnsafeMutableRawPointer {
        try map(
            at: nil, length: length, protection: PROT_READ | PROT_WRITE,
            flags: MAP_PRIVATE | MAP_ANONYMOUS, descriptor: -1, offset: 0)
    }

    /// Maps zeroed memory of which little will ever be touched.
    package static func mapSparse(
        length: Int
    ) throws(SystemFailure) -> UnsafeMutableRawPointer {
        try map(
            at: nil, length: length, protection: PROT_READ | PROT_WRITE,
            flags: MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE), descriptor: -1, offset: 0)
    }

    /// Maps zeroed memory for secrets of this process at a given address, which must lie in a
    /// reserved range. Core dumps omit it, and a forked child finds zeros in it.
    package static func mapSecret(
        at address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        _ = try map(
            at: address, length: length, protection: PROT_READ | PROT_WRITE,
            flags: MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | Int32(MAP_NORESERVE),
            descriptor: -1, offset: 0)
        try keepSecret(address, length: length)
    }

    /// Maps zeroed memory for secrets at any address.
    package static func mapSecret(
        length: Int
    ) throws(SystemFailure) -> UnsafeMutableRawPointer {
        let address = try mapPrivate(length: length)
        do throws(SystemFailure) {
            try keepSecret(address, length: length)
        } catch {
            try? unmap(address, length: length)
            throw error
        }
        return address
    }

    private static func keepSecret(
        _ address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        try advise(address, length: length, advice: MADV_DONTDUMP)
        try wipeInForkedChild(address, length: length)
    }

    /// Makes a forked child find zeros in private memory.
    package static func wipeInForkedChild(
        _ address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        try advise(address, length: length, advice: MADV_WIPEONFORK)
    }

    /// Asks the system to back private memory with large pages, from the next touch on.
    package static func preferLargePages(
        _ address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        try advise(address, length: length, advice: MADV_HUGEPAGE)
    }

    package static func unmap(
        _ address: UnsafeMutableRawPointer, length: Int
    ) throws(SystemFailure) {
        _ = try perform(.munmap) { Int(Glibc.munmap(address, length)) }
    }

    package static func advise(
        _ address: UnsafeMutableRawPointer, length: Int, advice: Int32
    ) throws(SystemFailure) {
        _ = try perform(.madvise) { Int(Glibc.madvise(address, length, advice)) }
    }

    private static func map(
        at address: UnsafeMutableRawPointer?, length: Int, protection: Int32, flags: Int32,
        descriptor: Int32, offset: UInt64
    ) throws(SystemFailure) -> UnsafeMutableRawPointer {
        // MAP_FAILED is the address -1, so a failed call returns a negative number to `perform`. No
        // address of a Linux process is negative.
        let bits = try perform(.mmap, descriptor: descriptor) {
            Int(
                bitPattern: Glibc.mmap(
                    address, length, protection, flags, descriptor, off_t(offset)))
        }
        return UnsafeMutableRawPointer(bitPattern: bits)!
    }

    /// Sleeps while the word holds `expected`, at most for `timeout` (nil: without limit). May
    /// return early; callers check their condition again. Interceptors do not see it, because it
    /// moves no data and has no failure that a caller could handle. `isShared` says whether the
    /// word is in memory that other processes map too; the call that wakes must pass the same
    /// value.
    package static func wait(
        on word: UnsafePointer<UInt32>, while expected: UInt32, timeout: Duration? = nil,
        isShared: Bool = false
    ) {
        _ = realm_futex_wait(word, expected, timeout.map(nanoseconds) ?? -1, isShared)
    }

    /// Wakes up to `count` sleepers, in any process if `isShared`.
    package static func wake(
        _ word: UnsafePointer<UInt32>, count: Int32 = .max, isShared: Bool = false
    ) {
        guard isShared, realm_interceptor() != 0 else {
            _ = realm_futex_wake(word, count, isShared)
            return
        }
        _ = intercept(SystemCallContext(.wake)) { Int(realm_futex_wake(word, count, isShared)) }
    }

    /// Yields the processor to other threads that are ready, if there are any.
    package static func giveUpProcessor() { sched_yield() }

    /// Tells the processor that this thread is spinning on a word.
    @inline(__always)
    package static func relaxProcessor() { realm_relax_processor() }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        if seconds < 0 || attoseconds < 0 { return 0 }
        // A hundred years at most, which does not overflow.
        return min(seconds, 3_155_760_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

extension UnsafeMutableRawPointer {
    /// Sets bytes, in one call: `initializeMemory` of debug builds takes minutes of the tests.
    @inline(__always)
    func fill(_ count: Int, with byte: UInt8) { memset(self, Int32(byte), count) }
}
