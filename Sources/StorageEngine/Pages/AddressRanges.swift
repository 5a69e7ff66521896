import Glibc

/// The address space for the pages of one file. It is reserved at once, so nothing in it ever
/// moves.
struct AddressRanges {
    /// The range for the file, mapped as it grows.
    let file: UnsafeMutableRawPointer
    /// The range for decrypted pages, at the same offsets; nil for a plain file.
    let decrypted: UnsafeMutableRawPointer?
    /// One word for each page.
    let pageWords: UnsafeMutablePointer<UInt64>
    /// The length of the file's range.
    let byteCount: Int

    private let mappings: [(UnsafeMutableRawPointer, Int)]

    /// The reservation for small files: 1 GiB. 5,000 encrypted files then take less than a tenth of
    /// a 47-bit address space.
    static let smallestReservation = 1 << 30
    /// The least factor by which a reservation exceeds the current need of a larger file.
    private static let roomToGrow = 4
    /// The divisor of the process's address space limit (`RLIMIT_AS`) that gives the most for one
    /// file, unless the file needs more at once. The rest is left to the program.
    private static let shareOfLimit = 64

    /// Reserves ranges for at least `needed` bytes of the file, with as much room to grow as the
    /// system allows.
    static func reserve(
        atLeast needed: Int, smallest: Int = smallestReservation, pageShift: UInt64,
        isEncrypted: Bool
    ) throws(SystemFailure) -> AddressRanges {
        var length = preferredByteCount(atLeast: needed, smallest: smallest)
        while true {
            do throws(SystemFailure) {
                return try AddressRanges(length, Int(pageShift), isEncrypted: isEncrypted)
            } catch {
                // Strict overcommit accounting may refuse (ENOMEM), and valgrind rejects the length
                // (EINVAL).
                guard error.errno == ENOMEM || error.errno == EINVAL, length > needed
                else { throw error }
                length = max(length / 2 / 4096 * 4096, needed)
            }
        }
    }

    /// Returns the length to try first.
    static func preferredByteCount(
        atLeast needed: Int, smallest: Int = smallestReservation,
        limit: Int? = System.addressSpaceLimit
    ) -> Int {
        var length = smallest
        while length / roomToGrow < needed { length *= 2 }
        if let limit { length = min(length, max(limit / shareOfLimit, needed + needed / 4)) }
        // Rounds up to a multiple of every page size.
        let unit = 64 << 10
        return (length + unit - 1) / unit * unit
    }

    private init(
        _ length: Int, _ pageShift: Int, isEncrypted: Bool
    ) throws(SystemFailure) {
        var taken: [(UnsafeMutableRawPointer, Int)] = []
        func take(
            _ length: Int, _ map: (Int) throws(SystemFailure) -> UnsafeMutableRawPointer
        ) throws(SystemFailure) -> UnsafeMutableRawPointer {
            let address = try map(length)
            taken.append((address, length))
            return address
        }
        do throws(SystemFailure) {
            file = try take(length, System.reserve)
            decrypted = isEncrypted ? try take(length, System.reserve) : nil
            // 1/512 of the range with pages of 4096 bytes. Memory is committed only where a word is
            // written.
            let wordBytes = max(4096, (length >> pageShift) << 3)
            let words = try take(wordBytes, System.mapSparse)
            pageWords = words.assumingMemoryBound(to: UInt64.self)
            // The decrypted pages read as zeros in a forked child, so it must not take them for
            // checked ones.
            if isEncrypted { try System.wipeInForkedChild(words, length: wordBytes) }
        } catch {
            Self.unmap(taken)
            throw error
        }
        mappings = taken
        byteCount = length
    }

    /// Unmaps the ranges. No pointers into them may be used any more.
    func release() { Self.unmap(mappings) }

    private static func unmap(_ mappings: [(UnsafeMutableRawPointer, Int)]) {
        // Fails only for invalid arguments, which cannot be remedied here.
        for (address, length) in mappings { try? System.unmap(address, length: length) }
    }
}
