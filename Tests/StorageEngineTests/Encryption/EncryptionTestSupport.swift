import Foundation

@testable import StorageEngine
@testable import engine_test_process

extension FileKind {
    func open(_ path: String) throws -> Connection {
        try Connection(Database.open(path: path, options: options))
    }
}

/// The image of an encrypted file, for tests that know its key.
struct EncryptedImage {
    let header: FileHeader
    let cipher: FileCipher

    init(_ image: [UInt8], key: [UInt8] = FileKind.key) throws {
        header = try image.withUnsafeBytes { try FileHeader($0, path: "") }
        cipher = try header.cipher(key: key, path: "")!
    }

    /// A sealed item and its place.
    struct Sealed {
        var offset: Int
        var seal: Seal
        var bytes: [UInt8]
        var isRun = false
    }

    /// Finds everything that is sealed in bytes at an offset of the file. Bytes that are not sealed
    /// must be zeros; the places of others are returned in `unsealed`.
    func sealed(in bytes: [UInt8], at offset: Int) -> (found: [Sealed], unsealed: [Int]) {
        var found: [Sealed] = []
        var unsealed: [Int] = []
        let blockSize = Int(FileHeader.blockSize)
        bytes.withUnsafeBytes { all in
            var position = 0
            while position < all.count {
                let place = offset + position
                let rest = UnsafeRawBufferPointer(rebasing: all[position...])
                if place < blockSize {
                    position += blockSize - place
                } else if let sealed = self.sealed(rest, at: place) {
                    found.append(sealed)
                    position += sealed.bytes.count
                } else {
                    // This is the end of the marker's block, or a free page.
                    let step = min(rest.count, 32, blockSize - place % blockSize)
                    if rest[..<step].contains(where: { $0 != 0 }) { unsealed.append(place) }
                    position += step
                }
            }
        }
        return (found, unsealed)
    }

    private func sealed(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Sealed? {
        let blockSize = Int(FileHeader.blockSize)
        func fixed(_ count: Int, _ place: SealedPlace) -> Sealed? {
            guard bytes.count >= count else { return nil }
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            guard cipher.open(part, at: place) != nil else { return nil }
            return Sealed(
                offset: offset, seal: Seal(at: part.baseAddress!), bytes: Array(part))
        }
        if offset == Int(FileHeader.markerOffset) {
            return fixed(Seal.size + CleanCloseMarker.size, .marker)
        }
        if offset == Int(FileHeader.locatorOffset) {
            return fixed(Seal.size + ExtensionLocator.size, .locator)
        }
        guard offset % blockSize == 0, offset >= Int(FileHeader.slotsOffset) else { return nil }
        if offset < Int(FileHeader.newBlockCount) * blockSize {
            let slot = (offset - Int(FileHeader.slotsOffset)) / blockSize
            return fixed(blockSize, .record(.slot(UInt64(slot))))
        }
        guard offset % header.pageSize == 0 else { return nil }
        let page = UInt64(offset / header.pageSize)
        if let record = fixed(blockSize, .record(.page(page))) { return record }
        for number in 8..<CommitRing.allSlots {
            if let record = fixed(blockSize, .record(.slot(number))) { return record }
        }
        return cipher.withOpened(
            bytes, at: .run(page: page),
            byteCount: { PageHeader($0 - Seal.size).pageCount * header.pageSize },
            { run in
                run.map {
                    Sealed(
                        offset: offset, seal: Seal(at: $0.baseAddress!),
                        bytes: Array(bytes[..<$0.count]), isRun: true)
                }
            })
    }
}
