import Glibc

/// Values too long for a leaf, on runs of their own.
extension Pager {
    /// Longer values leave their leaf: eight of them would fill a page.
    var maximumInlineBytes: Int { pageSize / 8 }

    /// The limit of one string or data value: 16 MiB.
    static var maximumValueBytes: Int { 16 << 20 }

    /// Pages of the run of a value with so many bytes.
    func overflowPages(_ byteCount: Int) -> Int {
        (PageHeader.size + byteCount + pageSize - 1) / pageSize
    }

    func writeOverflow(_ bytes: UnsafeRawBufferPointer) throws -> PageReference {
        let (reference, buffer) = try allocate(
            pages: overflowPages(bytes.count), kind: .overflow)
        MutablePageHeader(buffer).lowKey = Int64(bytes.count)
        if let source = bytes.baseAddress {
            (buffer + PageHeader.size).copyMemory(from: source, byteCount: bytes.count)
        }
        return reference
    }
}

/// The 24 bytes that stand for an overflow value in a leaf: page, birth, length.
func withOverflowImage<R>(
    _ reference: PageReference, _ length: Int, _ body: (UnsafeRawBufferPointer) throws -> R
) rethrows -> R {
    var image = (
        reference.page.littleEndian, reference.birth.littleEndian, UInt64(length).littleEndian
    )
    return try withUnsafeBytes(of: &image, body)
}
