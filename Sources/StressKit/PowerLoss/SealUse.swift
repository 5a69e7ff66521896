import StorageEngine
import StressModel

/// Which keys and nonces sealed what, as recorded writes of an encrypted file show it: each pair at
/// most one contents.
package struct SealUse {
    /// A session's salt and the number of the seal, which make key and nonce.
    private struct Place: Hashable {
        var first: UInt64
        var second: UInt64
    }

    /// The authentication tag tells the contents apart.
    private struct Tag: Equatable {
        var first: UInt64
        var second: UInt64
    }

    private var tags: [Place: Tag] = [:]

    private static let blockSize = 4096
    private static let sealSize = 32
    /// The only seal that does not begin at a block.
    private static let locatorOffset: UInt64 = 4096 + 512

    package init() {}

    /// Seals begin at blocks, but for that of the locator. A block in the middle of a run looks like one as well, with a place
    /// as random as its contents, which is nobody else's.
    package mutating func add(_ events: [SystemTraceEvent]) throws(Finding) {
        for event in events {
            // The header is not sealed.
            guard case .write(let offset, let bytes) = event.change,
                offset >= Self.blockSize,
                offset % UInt64(Self.blockSize) == 0 || offset == Self.locatorOffset
            else { continue }
            for start in stride(from: 0, to: bytes.count, by: Self.blockSize)
            where start + Self.sealSize <= bytes.count {
                try add(bytes, start, offset)
            }
        }
    }

    private mutating func add(
        _ bytes: [UInt8], _ start: Int, _ offset: UInt64
    ) throws(Finding) {
        let (tag, place) = bytes.withUnsafeBytes { bytes in
            func word(_ index: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: start + index * 8, as: UInt64.self)
            }
            return (Tag(first: word(0), second: word(1)), Place(first: word(2), second: word(3)))
        }
        // Cleared, or filled in advance.
        if place.first == 0, place.second == 0 { return }
        guard let known = tags.updateValue(tag, forKey: place), known != tag else { return }
        throw Finding(
            .wrongState,
            "what is written at \(offset + UInt64(start)) is sealed with a key and a nonce that "
                + "sealed other contents before.")
    }
}
