import Testing

@testable import StorageEngine

/// A commit record in the bytes of a plain file of 4 KiB pages, wherever it is.
struct FoundRecord {
    var record: CommitRecord
    /// Where its block is.
    var block: Int

    var range: Range<Int> { block * CommitRecord.size..<(block + 1) * CommitRecord.size }

    /// Nil where there is none with that number.
    init?(_ sequence: UInt64, in image: [UInt8]) throws {
        let header = try image.withUnsafeBytes { try FileHeader($0, path: "") }
        for block in 2..<image.count / CommitRecord.size {
            let bytes = Array(image[block * CommitRecord.size..<(block + 1) * CommitRecord.size])
            let place: RecordPlace =
                block < Int(FileHeader.blockCount)
                ? .slot(UInt64(block - 2)) : .page(UInt64(block))
            let record = bytes.withUnsafeBytes {
                CommitRecord(
                    $0, at: place, fileSeed: header.fileSeed, firstPage: header.firstPage)
            }
            guard let record, record.sequence == sequence else { continue }
            self.record = record
            self.block = block
            return
        }
        return nil
    }
}
