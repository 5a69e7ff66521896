import Glibc

/// How much of the memory for decrypted pages is in use, and where it is in use densely.
///
/// *Room.* Decrypted pages stay in their places as long as the file is open, so there is a limit to
/// how many get one; further ones are each connection's own affair (``PrivateRuns``).
///
/// *Density.* Memory that is touched page by page costs more than decrypting the page (1.6 us
/// against 1.0, measured in a virtual machine); in pieces of 2 MiB a tenth of that. But a reader of
/// single pages all over a large file must not be given 2 MiB for each. So large pieces are asked
/// for where a scan seems to come along: in a region that nothing has touched, behind one that is
/// in good use.
struct DecryptedPlaces {
    /// Regions are as large as the large pages of the processor, and as aligned.
    static let regionBytes = 2 << 20
    /// Behind a region with this much in use, the next one is expected to fill up.
    private static let denseBytes = regionBytes / 4

    /// Each stretch of neighbouring regions with large pages is a mapping of its own, of which a
    /// process has some ten thousands for everything.
    private static let mostStretches = 32

    /// Bytes in use, places that are to be used again included.
    private(set) var byteCount = 0
    /// No place that was never in use is given away beyond its limit.
    let memory: DecryptedMemory

    private let firstRegion: UInt
    /// Bytes in use in each region, up to the last one touched.
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

    /// Notes that the place of a page is about to be used for the first time. `enlarge` is called
    /// with regions that are better given one large page.
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

    /// The memory of a page that was in use has been given back.
    mutating func forget(_ pageSize: Int, at address: UnsafeRawPointer) {
        bytesOfRegion[Int(Self.region(of: address) - firstRegion)] -= pageSize
        byteCount -= pageSize
        memory.giveBack(pageSize)
    }
}

/// How much memory the decrypted pages of one file take, in all its ``MappedPages``.
final class DecryptedMemory: Sendable {
    /// No more is given away.
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
        // In a forked child the lock may be held for ever, and nobody asks.
        if forkGeneration == System.forkGeneration { used.withLock { $0 -= byteCount } }
    }
}

extension DecryptedMemory {
    /// An eighth of the memory that this process may use, by the machine and by the control group
    /// that it sees as its root (as containers do), but at least 64 MiB.
    static let shareOfMemory = max(
        64 << 20, min(memoryOfMachine, memoryOfControlGroup ?? .max) / 8)

    private static var memoryOfMachine: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Nil without a limit.
    private static var memoryOfControlGroup: Int? {
        guard let file = fopen("/sys/fs/cgroup/memory.max", "re") else { return nil }
        defer { fclose(file) }
        var digits = [CChar](repeating: 0, count: 32)
        guard fgets(&digits, Int32(digits.count), file) != nil else { return nil }
        // "max", where there is no limit, is no number.
        let limit = strtoull(digits, nil, 10)
        return limit == 0 ? nil : Int(clamping: limit)
    }
}
