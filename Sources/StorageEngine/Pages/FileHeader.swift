/// The first block of a file, which does not change after the file's creation.
struct FileHeader: Equatable, Sendable {
    /// The bytes of the header, which is shorter than its block.
    static let size = 512
    /// The size of the header block, of the marker's block, and of each commit slot.
    static let blockSize: UInt64 = 4096
    static let blockShift: UInt64 = 12
    static let markerOffset = blockSize
    /// The locator follows the marker in the same block, in a sector of its own.
    static let locatorOffset = markerOffset + 512
    static let slotsOffset = 2 * blockSize
    /// The format version of new files.
    static let formatVersion: UInt32 = 10
    /// The format version of encrypted files without records that carry changes, and, like the one
    /// after it, without keys that share a prefix. Nothing else is different.
    static let formatVersionWithoutSealedChanges: UInt32 = 8
    /// The format version of files without records that carry changes, and, like the one after it,
    /// without packed ends. Nothing else is different.
    static let formatVersionWithoutChanges: UInt32 = 6
    /// The format version in which all files have all commit slots in front of their pages.
    static let earlierFormatVersion: UInt32 = 5
    /// The last format version to which no file of an earlier one was upgraded, so that none has
    /// all its slots in front.
    private static let formatVersionBeforeUpgrades: UInt32 = 7
    /// The length of a file to which nothing has been written yet: "RL" in ASCII. It is less than
    /// that of any database, and more than a block.
    static let newFileSize: UInt64 = 0x524C
    static let pageSizes = [4096, 8192, 16384]

    private static let magic: [UInt8] = [0x89, 0x52, 0x4C, 0x4D, 0x53, 0x0D, 0x0A, 0x1A]
    private static let encryptedFlag: UInt32 = 1
    private static let unfinishedFlag: UInt32 = 2
    private static let encryptionOffset = 40

    private(set) var formatVersion = Self.formatVersion
    /// The number of commit slots in front of the pages.
    private(set) var slotsInFront = CommitRing.fewSlots
    var pageSize: Int
    /// The random id of the file.
    var fileID: (UInt64, UInt64)
    /// Whether creation is not finished: nothing has been committed, and the blocks behind the
    /// header may be missing.
    var isUnfinished: Bool
    /// The encryption parameters; nil for a plain file.
    var encryption: Encryption?

    /// The parameters from which the holder of the key derives the file's key, and checks that it
    /// is the right one.
    struct Encryption: Equatable, Sendable {
        static let saltSize = FileCipher.saltSize
        static let size = saltSize + FileCipher.keyCheckSize

        /// Random bytes.
        var salt: [UInt8]
        var keyCheck: [UInt8]
    }

    static func == (a: FileHeader, b: FileHeader) -> Bool {
        a.formatVersion == b.formatVersion && a.slotsInFront == b.slotsInFront
            && a.pageSize == b.pageSize && a.fileID == b.fileID
            && a.isUnfinished == b.isUnfinished
            && a.encryption == b.encryption
    }

    /// The numbers of slots that files of a format have in front of their pages.
    private static func slots(of format: UInt32) -> [UInt64] {
        switch format {
        case earlierFormatVersion: [CommitRing.allSlots]
        case ...formatVersionBeforeUpgrades: [CommitRing.fewSlots]
        default: [CommitRing.fewSlots, CommitRing.allSlots]
        }
    }

    /// Makes it the header of a new file of this format.
    mutating func choose(format: UInt32) {
        formatVersion = format
        slotsInFront = Self.slots(of: format)[0]
    }

    /// Makes it the header of the same file in the present format. Returns whether that changes it.
    mutating func upgrade() -> Bool {
        if formatVersion == Self.formatVersion { return false }
        formatVersion = Self.formatVersion
        if planted(.forgetsSlotsInFront) { slotsInFront = CommitRing.fewSlots }
        return true
    }

    /// The ring of a file that has no extension yet.
    var ring: CommitRing {
        CommitRing(
            slotsInFront: slotsInFront, pageShift: UInt64(pageSize.trailingZeroBitCount))
    }

    /// Whether commit records may carry changes (``PageChanges``).
    var mayCarryChanges: Bool {
        let before =
            encryption == nil
            ? Self.formatVersionWithoutChanges : Self.formatVersionWithoutSealedChanges
        return formatVersion > before && !ring.hasAllInFront
    }

    /// The number of blocks in front of the pages: header, marker and commit slots.
    var blockCount: UInt64 { Self.slotsOffset / Self.blockSize + slotsInFront }

    /// The first page behind these blocks.
    var firstPage: UInt64 {
        let bytes = blockCount * Self.blockSize
        return (bytes + UInt64(pageSize) - 1) / UInt64(pageSize)
    }

    /// The seed of every checksum of the file, so that pages and records of another file are
    /// refused.
    var fileSeed: UInt64 {
        withUnsafeBytes(of: fileID) { Checksum.hash($0, seed: 0) }
    }
}

// MARK: Files without a valid header

extension FileHeader {
    /// Whether a file begins with the signature of a database, whatever follows.
    static func hasSignature(_ start: some Collection<UInt8>) -> Bool {
        start.starts(with: magic)
    }

    /// The ``fileSeed`` of a file with that first block, whatever else it holds; nil if the file is
    /// shorter.
    static func identifier(_ start: [UInt8]) -> UInt64? {
        if start.count < size { return nil }
        return start.withUnsafeBytes {
            Checksum.hash(UnsafeRawBufferPointer(rebasing: $0[24..<40]), seed: 0)
        }
    }

    /// Whether a file is in a state that the first steps of its creation leave: zeros, of a length
    /// that no other file of zeros has by accident. `start` is its first block.
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

    /// Decodes a header from untrusted bytes.
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
            (Self.earlierFormatVersion...Self.formatVersion).contains(format)
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
        slotsInFront = UInt64(half(16))
        fileID = (word(24), word(32))
        isUnfinished = flags & Self.unfinishedFlag != 0
        guard Self.pageSizes.contains(pageSize), Self.slots(of: format).contains(slotsInFront),
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
