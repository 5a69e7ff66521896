import Glibc

/// Values too long for a leaf, each on a run of its own.
extension Pager {
    /// The limit for values stored in a leaf, eight of which would fill a page.
    var maximumInlineBytes: Int { pageSize / 8 }

    /// The limit of one string or data value: 16 MiB.
    static var maximumValueBytes: Int { 16 << 20 }

    /// The number of pages in the run of a value of this length.
    func overflowPages(_ byteCount: Int) -> Int {
        (PageHeader.size + byteCount + pageSize - 1) / pageSize
    }

    func writeOverflow(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> PageReference {
        let (reference, buffer) = try allocate(
            pages: overflowPages(bytes.count), kind: .overflow)
        MutablePageHeader(buffer).lowKey = Int64(bytes.count)
        if let source = bytes.baseAddress {
            (buffer + PageHeader.size).copyMemory(from: source, byteCount: bytes.count)
        }
        return reference
    }
}

/// Calls `body` with the 24 bytes that represent an overflow value in a leaf: page, birth, length.
func withOverflowImage<R, E>(
    _ reference: PageReference, _ length: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
) throws(E) -> R {
    var image = (
        reference.page.littleEndian, reference.birth.littleEndian, UInt64(length).littleEndian
    )
    return try withUnsafeBytes(of: &image, body)
}
