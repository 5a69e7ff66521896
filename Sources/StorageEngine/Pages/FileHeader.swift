/// The first block of a file: what never changes after the file was created.
struct FileHeader: Equatable, Sendable {
    /// Bytes of the header; the block is larger.
    static let size = 512
    /// Size of the header block, of the marker's block, and of each commit slot.
    static let blockSize: UInt64 = 4096
    static let blockShift: UInt64 = 12
    static let markerOffset = blockSize
    /// Behind the marker, in a sector of its own.
    static let locatorOffset = markerOffset + 512
    static let slotsOffset = 2 * blockSize
    /// Of new files.
    static let formatVersion: UInt32 = 6
    /// Files with all commit slots in front of their pages.
    static let earlierFormatVersion: UInt32 = 5
    /// The length of a file of which nothing has been written yet: "RL". Less than any database
    /// has, more than a block.
    static let newFileSize: UInt64 = 0x524C
    static let pageSizes = [4096, 8192, 16384]

    private static let magic: [UInt8] = [0x89, 0x52, 0x4C, 0x4D, 0x53, 0x0D, 0x0A, 0x1A]
    private static let encryptedFlag: UInt32 = 1
    private static let unfinishedFlag: UInt32 = 2
    private static let encryptionOffset = 40

    var formatVersion = Self.formatVersion
    var pageSize: Int
    /// Random.
    var fileID: (UInt64, UInt64)
    /// The file is being created: nothing has been committed, and what follows the header may
    /// be missing.
    var isUnfinished: Bool
    /// Nil for a plain file.
    var encryption: Encryption?

    /// What the holder of the key needs to derive the file's key, and to see that it is the right
    /// one.
    struct Encryption: Equatable, Sendable {
        static let saltSize = FileCipher.saltSize
        static let size = saltSize + FileCipher.keyCheckSize

        /// Random.
        var salt: [UInt8]
        var keyCheck: [UInt8]
    }

    static func == (a: FileHeader, b: FileHeader) -> Bool {
        a.formatVersion == b.formatVersion && a.pageSize == b.pageSize && a.fileID == b.fileID
            && a.isUnfinished == b.isUnfinished
            && a.encryption == b.encryption
    }

    /// Commit slots in front of the pages.
    var slotsInFront: UInt64 {
        formatVersion == Self.earlierFormatVersion ? CommitRing.allSlots : CommitRing.fewSlots
    }

    /// The ring of a file that has not become larger yet.
    var ring: CommitRing {
        CommitRing(
            slotsInFront: slotsInFront, pageShift: UInt64(pageSize.trailingZeroBitCount))
    }

    /// Header, marker and commit slots.
    var blockCount: UInt64 { Self.slotsOffset / Self.blockSize + slotsInFront }

    /// The first page behind these.
    var firstPage: UInt64 {
        let bytes = blockCount * Self.blockSize
        return (bytes + UInt64(pageSize) - 1) / UInt64(pageSize)
    }

    /// Seeds every checksum of the file, so that another file's pages and records do not pass.
    var fileSeed: UInt64 {
        withUnsafeBytes(of: fileID) { Checksum.hash($0, seed: 0) }
    }
}

// MARK: Files without a valid header

extension FileHeader {
    /// Whether a file begins like a database, whatever comes then.
    static func hasSignature(_ start: some Collection<UInt8>) -> Bool {
        start.starts(with: magic)
    }

    /// Whether a file is as the first steps of its creation may leave it: zeros, of a length that
    /// no other file of zeros has by accident. `start`: its first block.
    static func isBeingCreated(_ start: some Collection<UInt8>, fileSize: UInt64) -> Bool {
        fileSize == newFileSize && start.allSatisfy { $0 == 0 }
    }
}

extension FileHeader {
    func encode() -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Int(Self.blockSize))
        block.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: Self.magic)
            bytes.storeBytes(of: formatVersion.littleEndian, toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(pageSize).littleEndian, toByteOffset: 12, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(slotsInFront).littleEndian, toByteOffset: 16, as: UInt32.self)
            let flags =
                (isUnfinished ? Self.unfinishedFlag : 0)
                | (encryption == nil ? 0 : Self.encryptedFlag)
            bytes.storeBytes(of: flags.littleEndian, toByteOffset: 20, as: UInt32.self)
            bytes.storeBytes(of: fileID.0.littleEndian, toByteOffset: 24, as: UInt64.self)
            bytes.storeBytes(of: fileID.1.littleEndian, toByteOffset: 32, as: UInt64.self)
            if let encryption {
                UnsafeMutableRawBufferPointer(rebasing: bytes[Self.encryptionOffset...])
                    .copyBytes(from: encryption.salt + encryption.keyCheck)
            }
            let sum = Self.checksum(UnsafeRawBufferPointer(bytes))
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: 504, as: UInt64.self)
        }
        return block
    }

    private static func checksum(_ block: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.hash(UnsafeRawBufferPointer(rebasing: block[0..<504]), seed: 0)
    }

    /// Reads a header from bytes that nobody vouches for.
    init(_ block: UnsafeRawBufferPointer, path: String) throws(StorageError) {
        guard block.count >= Self.size else {
            throw StorageError(
                .notADatabase, path: path,
                message: "Failed to open Realm file at path '\(path)': file is non-empty but "
                    + "too small (\(block.count) bytes) to be a valid Realm.")
        }
        guard block.prefix(8).elementsEqual(Self.magic) else {
            throw StorageError(
                .notADatabase, path: path,
                message: "Failed to open Realm file at path '\(path)': not a Realm file of this "
                    + "library (it does not start with the format's signature). Check the path, "
                    + "or delete the file to start anew.")
        }
        func half(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let format = half(8)
        guard
            [Self.formatVersion, Self.earlierFormatVersion].contains(format)
                || word(504) != Self.checksum(block)
        else {
            throw StorageError(
                .unsupportedFormat, path: path,
                message: "Realm file at path '\(path)' cannot be opened: Database has an "
                    + "unsupported version (\(format)) and cannot be upgraded. Open it with the "
                    + "version of this library that wrote it.")
        }
        guard word(504) == Self.checksum(block) else {
            throw StorageError(
                .damaged, path: path,
                message: "Realm file at path '\(path)' is damaged: the file header does not match "
                    + "its checksum. Restore the file from a backup.", page: 0)
        }
        let flags = half(20)
        formatVersion = format
        pageSize = Int(half(12))
        fileID = (word(24), word(32))
        isUnfinished = flags & Self.unfinishedFlag != 0
        guard Self.pageSizes.contains(pageSize), UInt64(half(16)) == slotsInFront,
            flags & ~(Self.encryptedFlag | Self.unfinishedFlag) == 0
        else {
            throw StorageError(
                .unsupportedFormat, path: path,
                message: "Realm file at path '\(path)' cannot be opened: its page size "
                    + "(\(pageSize)), commit slots (\(half(16))) or flags (\(flags)) are not "
                    + "known to this version of the library.")
        }
        if flags & Self.encryptedFlag != 0 {
            let bytes = Array(block[Self.encryptionOffset...].prefix(Encryption.size))
            encryption = Encryption(
                salt: Array(bytes.prefix(Encryption.saltSize)),
                keyCheck: Array(bytes.dropFirst(Encryption.saltSize)))
        }
    }
}

/// Says which version the last process that closed the file left, durable.
struct CleanCloseMarker: Equatable, Sendable {
    static let size = 64

    /// The first page of the ring's extension, or 0: the record may be there.
    var extensionPage: UInt64

    var version: UInt64
    var commitID: UInt64
    /// The sequence number of the version's commit record.
    var sequence: UInt64
    /// Where that is.
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

    /// Nil for bytes that are not a marker of this file.
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

/// Says where the extension of the ring is, besides the records, so that no damaged block hides it.
/// Written before the first record that says so. It may be that of an extension that no record came to
/// name: then no valid record is there.
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

    /// Nil for bytes that are not one of this file.
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
