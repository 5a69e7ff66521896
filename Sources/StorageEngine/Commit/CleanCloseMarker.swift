/// The durable version that the last process to close the file left.
struct CleanCloseMarker: Equatable, Sendable {
    static let size = 64

    /// The first page of the ring's extension, or 0. The record may be in the extension.
    var extensionPage: UInt64

    var version: UInt64
    var commitID: UInt64
    /// The sequence number of the version's commit record.
    var sequence: UInt64
    /// The location of that record.
    var place: RecordPlace

    init(_ record: CommitRecord) {
        extensionPage = record.ring.extensionPage
        version = record.version
        commitID = record.commitID
        sequence = record.sequence
        place = record.place
    }

    func encode(_ header: FileHeader) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: version.littleEndian, toByteOffset: 0, as: UInt64.self)
            $0.storeBytes(of: commitID.littleEndian, toByteOffset: 8, as: UInt64.self)
            $0.storeBytes(of: header.fileID.0.littleEndian, toByteOffset: 16, as: UInt64.self)
            $0.storeBytes(of: header.fileID.1.littleEndian, toByteOffset: 24, as: UInt64.self)
            $0.storeBytes(of: sequence.littleEndian, toByteOffset: 32, as: UInt64.self)
            $0.storeBytes(of: place.page.littleEndian, toByteOffset: 40, as: UInt64.self)
            $0.storeBytes(of: extensionPage.littleEndian, toByteOffset: 48, as: UInt64.self)
            let sum = Self.checksum(UnsafeRawBufferPointer($0), header)
            $0.storeBytes(of: sum.littleEndian, toByteOffset: 56, as: UInt64.self)
        }
        return bytes
    }

    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ header: FileHeader
    ) -> UInt64 {
        Checksum.hash(
            UnsafeRawBufferPointer(rebasing: bytes[0..<56]), seed: header.fileSeed)
    }

    /// Decodes a marker. Returns nil for bytes that are not a marker of this file.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: FileHeader) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard bytes.count >= Self.size, word(56) == Self.checksum(bytes, header),
            word(16) == header.fileID.0, word(24) == header.fileID.1, word(0) >= 1,
            max(word(40), word(48)) < CommitRecord.maximumPageCount
        else { return nil }
        version = word(0)
        commitID = word(8)
        sequence = word(32)
        extensionPage = word(48)
        let ring = header.ring.extended(at: extensionPage, since: 1)
        place = word(40) == 0 ? ring.place(of: sequence) : .page(word(40))
    }
}
