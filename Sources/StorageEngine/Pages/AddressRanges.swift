import Glibc

/// The address space that one file is given, reserved at once: so what is in it never moves.
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

    /// Address space to ask for first: 1 TiB. Halved until the system grants it (`RLIMIT_AS`, and
    /// strict overcommit accounting, may say no; valgrind says that the length is invalid).
    static let preferredByteCount = 1 << 40
    private static let smallestByteCount = 1 << 26

    /// As much as the system grants, but not more than `preferred`.
    static func reserve(
        _ preferred: Int, pageShift: UInt64, isEncrypted: Bool
    ) throws(SystemFailure) -> AddressRanges {
        var length = preferred
        while true {
            do throws(SystemFailure) {
                return try AddressRanges(length, Int(pageShift), isEncrypted)
            } catch {
                guard error.errno == ENOMEM || error.errno == EINVAL,
                    length > smallestByteCount
                else { throw error }
                length /= 2
            }
        }
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
            let words = try take(wordBytes, System.mapPrivate)
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
