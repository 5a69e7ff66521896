import StorageEngine
import StressModel

/// Keys and nonces that sealed blocks in the recorded writes of an encrypted file. Each pair may
/// seal only one content.
package struct SealUse {
    /// A session's salt and the number of the seal, from which key and nonce are derived.
    private struct Place: Hashable {
        var first: UInt64
        var second: UInt64
    }

    /// Authentication tag, which differs if the contents differ.
    private struct Tag: Equatable {
        var first: UInt64
        var second: UInt64
    }

    private var tags: [Place: Tag] = [:]

    private static let blockSize = 4096
    private static let sealSize = 32
    /// Offset of the locator, the only seal that does not begin at a block.
    private static let locatorOffset: UInt64 = 4096 + 512

    package init() {}

    /// Adds the seals in recorded writes.
    ///
    /// Seals begin at blocks, except that of the locator. A block in the middle of a run is taken
    /// for a seal too. Its place is as random as its contents, so it collides with no other.
    ///
    /// - Throws: a ``Finding`` if a key and nonce sealed two contents.
    package mutating func add(_ events: [SystemTraceEvent]) throws(Finding) {
        for event in events {
            // Skips the header, which is not sealed.
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
        // A cleared slot, or one reserved in advance.
        if place.first == 0, place.second == 0 { return }
        guard let known = tags.updateValue(tag, forKey: place), known != tag else { return }
        throw Finding(
            .wrongState,
            "what is written at \(offset + UInt64(start)) is sealed with a key and a nonce that "
                + "sealed other contents before.")
    }
}
