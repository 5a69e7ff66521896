import Glibc

/// Address space for the pages of one file, reserved at once: what is in it never moves.
struct AddressRanges {
    /// For the file, mapped as it grows.
    let file: UnsafeMutableRawPointer
    /// For decrypted pages, at the same offsets; nil for a plain file.
    let decrypted: UnsafeMutableRawPointer?
    /// A word for each page.
    let pageWords: UnsafeMutablePointer<UInt64>
    /// Of the file's range.
    let byteCount: Int

    private let mappings: [(UnsafeMutableRawPointer, Int)]

    /// Small files get so much: 1 GiB. Of 47 bits of address space 5,000 encrypted files then take
    /// less than a tenth.
    static let smallestReservation = 1 << 30
    /// Larger ones so many times what they need now.
    private static let roomToGrow = 4
    /// Where the process may use only so much address space (`RLIMIT_AS`), one file takes this part
    /// of it, unless it needs more at once: the rest is not the engine's.
    private static let shareOfLimit = 64

    /// Ranges for at least `needed` bytes of the file, and as much to grow as can be had.
    static func reserve(
        atLeast needed: Int, smallest: Int = smallestReservation, pageShift: UInt64,
        isEncrypted: Bool
    ) throws(SystemFailure) -> AddressRanges {
        var length = preferredByteCount(atLeast: needed, smallest: smallest)
        while true {
            do throws(SystemFailure) {
                return try AddressRanges(length, Int(pageShift), isEncrypted)
            } catch {
                // Strict overcommit accounting may say no; valgrind says that a length is invalid.
                guard error.errno == ENOMEM || error.errno == EINVAL, length > needed
                else { throw error }
                length = max(length / 2 / 4096 * 4096, needed)
            }
        }
    }

    /// What to ask for first.
    static func preferredByteCount(
        atLeast needed: Int, smallest: Int = smallestReservation,
        limit: Int? = System.addressSpaceLimit
    ) -> Int {
        var length = smallest
        while length / roomToGrow < needed { length *= 2 }
        if let limit { length = min(length, max(limit / shareOfLimit, needed + needed / 4)) }
        // Whole pages of every size.
        let unit = 64 << 10
        return (length + unit - 1) / unit * unit
    }

    private init(
        _ length: Int, _ pageShift: Int, _ isEncrypted: Bool
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
            // 1/512 of the range at 4096 bytes a page. Memory is committed only where a word was
            // written.
            let wordBytes = max(4096, (length >> pageShift) << 3)
            let words = try take(wordBytes, System.mapSparse)
            pageWords = words.assumingMemoryBound(to: UInt64.self)
            // The decrypted pages are zeros in a forked child: it must not take them for checked.
            if isEncrypted { try System.wipeInForkedChild(words, length: wordBytes) }
        } catch {
            Self.unmap(taken)
            throw error
        }
        mappings = taken
        byteCount = length
    }

    /// Nobody may have a pointer into the ranges any more.
    func release() { Self.unmap(mappings) }

    private static func unmap(_ mappings: [(UnsafeMutableRawPointer, Int)]) {
        // Fails for wrong arguments only; there is nothing to be done about that.
        for (address, length) in mappings { try? System.unmap(address, length: length) }
    }
}
