import Testing

@testable import StorageEngine

/// A commit record in the bytes of a plain file of 4 KiB pages, wherever it is.
struct FoundRecord {
    var record: CommitRecord
    /// The number of its block.
    var block: Int

    var range: Range<Int> { block * CommitRecord.size..<(block + 1) * CommitRecord.size }

    /// Finds the record with this number; nil if there is none.
    init?(_ sequence: UInt64, in image: [UInt8]) throws {
        let header = try image.withUnsafeBytes { try FileHeader($0, path: "") }
        for block in 2..<image.count / CommitRecord.size {
            let bytes = Array(image[block * CommitRecord.size..<(block + 1) * CommitRecord.size])
            let record = Self.places(of: UInt64(block), in: bytes, header).lazy.compactMap {
                place in
                bytes.withUnsafeBytes {
                    CommitRecord(
                        $0, at: place, fileSeed: header.fileSeed, firstPage: header.firstPage,
                        ring: header.ring)
                }
            }.first
            guard let record, record.sequence == sequence else { continue }
            self.record = record
            self.block = block
            return
        }
        return nil
    }

    /// Returns the possible places for a block: a slot in front of the pages, a page, or a slot
    /// among the pages.
    private static func places(
        of block: UInt64, in bytes: [UInt8], _ header: FileHeader
    ) -> [RecordPlace] {
        if block < header.blockCount { return [.slot(CommitSlot(number: block - 2, block: block))] }
        let page = bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 160, as: UInt64.self))
        }
        let behind = header.ring.extended(at: page & 0xFFFF_FFFF, since: 1).behind
        return [.page(block)] + behind.filter { $0.block == block }.map { .slot($0) }
    }
}
