import Glibc

/// Accounting for the memory of decrypted pages: how much is in use, and which regions are dense.
///
/// *Room.* Decrypted pages stay in their places as long as the file is open, so the number of
/// places is limited. A page beyond the limit belongs to the connection that decrypts it
/// (``PrivateRuns``).
///
/// *Density.* Touching memory page by page costs more than decrypting the page (1.6 us against 1.0,
/// measured in a virtual machine). In pieces of 2 MiB it costs a tenth of that. But a reader of
/// single pages all over a large file must not cause 2 MiB to be committed for each. So large pages
/// are requested where a scan seems to arrive: in an untouched region behind a dense one.
struct DecryptedPlaces {
    /// The size and alignment of a region, which are those of the processor's large pages.
    static let regionBytes = 2 << 20
    /// The bytes in use from which on a region counts as dense, so that the next one is expected to
    /// fill up.
    private static let denseBytes = regionBytes / 4

    /// The most stretches of regions with large pages. Each stretch of neighbouring regions is a
    /// mapping of its own, and a process may only have some ten thousand mappings in all.
    private static let mostStretches = 32

    /// The bytes in use, including places that are to be used again.
    private(set) var byteCount = 0
    /// The account that all mappings of the file share. A new place is only granted below its
    /// limit.
    let memory: DecryptedMemory

    private let firstRegion: UInt
    /// The bytes in use in each region, up to the last one touched.
    private var bytesOfRegion: [Int] = []
    private var stretchCount = 0
    private var lastEnlarged = -1

    init(base: UnsafeRawPointer, memory: DecryptedMemory) {
        firstRegion = Self.region(of: base)
        self.memory = memory
    }

    private static func region(of address: UnsafeRawPointer) -> UInt {
        UInt(bitPattern: address) / UInt(regionBytes)
    }

    /// Records that the place of a page is about to be used for the first time. Calls `enlarge`
    /// with a region that should get a large page.
    mutating func willUse(
        _ pageSize: Int, at address: UnsafeRawPointer,
        enlarge: (UnsafeMutableRawPointer) -> Void
    ) {
        let index = Int(Self.region(of: address) - firstRegion)
        if bytesOfRegion.count <= index {
            bytesOfRegion += [Int](repeating: 0, count: index + 1 - bytesOfRegion.count)
        }
        if bytesOfRegion[index] == 0, index > 0, bytesOfRegion[index - 1] >= Self.denseBytes,
            mayEnlarge(index)
        {
            let start = (firstRegion + UInt(index)) * UInt(Self.regionBytes)
            enlarge(UnsafeMutableRawPointer(bitPattern: start)!)
        }
        bytesOfRegion[index] += pageSize
        byteCount += pageSize
        memory.take(pageSize)
    }

    private mutating func mayEnlarge(_ index: Int) -> Bool {
        if index != lastEnlarged + 1 {
            guard stretchCount < Self.mostStretches else { return false }
            stretchCount += 1
        }
        lastEnlarged = index
        return true
    }

    /// Records that the memory of a page that was in use has been freed.
    mutating func forget(_ pageSize: Int, at address: UnsafeRawPointer) {
        bytesOfRegion[Int(Self.region(of: address) - firstRegion)] -= pageSize
        byteCount -= pageSize
        memory.giveBack(pageSize)
    }
}

/// The memory that the decrypted pages of one file take, in all its ``MappedPages``.
final class DecryptedMemory: Sendable {
    /// The limit for new places.
    let mostBytes: Int
    private let used = Locked(0)
    private let forkGeneration = System.forkGeneration

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    var usedBytes: Int { used.withLock { $0 } }

    func hasRoom(for byteCount: Int) -> Bool {
        used.withLock { $0 + byteCount <= mostBytes }
    }

    func take(_ byteCount: Int) { used.withLock { $0 += byteCount } }

    func giveBack(_ byteCount: Int) {
        // In a forked child the lock may be held for ever by a thread that does not exist there.
        // The child needs no account.
        if forkGeneration == System.forkGeneration { used.withLock { $0 -= byteCount } }
    }
}

extension DecryptedMemory {
    /// An eighth of the memory that this process may use, but at least 64 MiB. The limits of the
    /// machine and of the control group that the process sees as its root (as in containers) apply.
    static let shareOfMemory = max(
        64 << 20, min(memoryOfMachine, memoryOfControlGroup ?? .max) / 8)

    private static var memoryOfMachine: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The memory limit of the control group; nil without one.
    private static var memoryOfControlGroup: Int? {
        guard let file = fopen("/sys/fs/cgroup/memory.max", "re") else { return nil }
        defer { fclose(file) }
        var digits = [CChar](repeating: 0, count: 32)
        guard fgets(&digits, Int32(digits.count), file) != nil else { return nil }
        // Without a limit the file contains "max", which reads as 0.
        let limit = strtoull(digits, nil, 10)
        return limit == 0 ? nil : Int(clamping: limit)
    }
}
