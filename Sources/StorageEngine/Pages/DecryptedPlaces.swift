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

    /// Bytes in use, places that are to be used again included.
    private(set) var byteCount = 0
    /// No place that was never in use is given away beyond this.
    let mostBytes: Int

    private let firstRegion: UInt
    /// Bytes in use in each region, up to the last one touched.
    private var bytesOfRegion: [Int] = []

    init(base: UnsafeRawPointer, mostBytes: Int) {
        firstRegion = Self.region(of: base)
        self.mostBytes = mostBytes
    }

    private static func region(of address: UnsafeRawPointer) -> UInt {
        UInt(bitPattern: address) / UInt(regionBytes)
    }

    func hasRoom(for byteCount: Int) -> Bool { self.byteCount + byteCount <= mostBytes }

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
        if bytesOfRegion[index] == 0, index > 0, bytesOfRegion[index - 1] >= Self.denseBytes {
            let start = (firstRegion + UInt(index)) * UInt(Self.regionBytes)
            enlarge(UnsafeMutableRawPointer(bitPattern: start)!)
        }
        bytesOfRegion[index] += pageSize
        byteCount += pageSize
    }

    /// The memory of a page that was in use has been given back.
    mutating func forget(_ pageSize: Int, at address: UnsafeRawPointer) {
        bytesOfRegion[Int(Self.region(of: address) - firstRegion)] -= pageSize
        byteCount -= pageSize
    }
}

extension DecryptedPlaces {
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
