/// The location of the ring's extension, stored in addition to the records, so that no single
/// damaged block hides the extension. It is written before the first record that names the
/// extension. If that record was never written, the locator names pages that contain no valid
/// record.
struct ExtensionLocator: Equatable, Sendable {
    static let size = 16

    var page: UInt64

    func encode(_ header: FileHeader) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: page.littleEndian, toByteOffset: 0, as: UInt64.self)
            let sum = Self.checksum(UnsafeRawBufferPointer($0), header)
            $0.storeBytes(of: sum.littleEndian, toByteOffset: 8, as: UInt64.self)
        }
        return bytes
    }

    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ header: FileHeader
    ) -> UInt64 {
        Checksum.hash(UnsafeRawBufferPointer(rebasing: bytes[0..<8]), seed: header.fileSeed)
    }

    init(page: UInt64) { self.page = page }

    /// Decodes a locator. Returns nil for bytes that are not a locator of this file.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: FileHeader) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard bytes.count >= Self.size, word(8) == Self.checksum(bytes, header),
            word(0) >= header.firstPage, word(0) < CommitRecord.maximumPageCount
        else { return nil }
        page = word(0)
    }
}
