/// Why a record cannot be imported.
struct DataProblem: Error {
    /// A sentence.
    let message: String
    /// The place of the mistake, in bytes from the beginning of the record; nil for the record as
    /// a whole.
    let offset: Int?

    init(_ message: String, at offset: Int?) {
        self.message = message
        self.offset = offset
    }
}

/// A value as it was read: the bytes of a text or number, which are valid as long as the record.
struct ValueToken {
    enum Kind {
        /// A field of CSV, which can be of any type.
        case field
        /// A field without quotes and without bytes.
        case emptyField
        case null
        case isTrue
        case isFalse
        case number
        case string
    }

    var kind: Kind
    var bytes: UnsafeRawBufferPointer
    /// The place in the record.
    var offset: Int
    /// Whether the bytes lie in the record as they are here: not where doubled quotes were taken
    /// out.
    var isExact = true

    /// The value in a message: the beginning of a long one.
    var shown: String {
        switch kind {
        case .null: "null"
        case .isTrue: "true"
        case .isFalse: "false"
        case .emptyField: "an empty field"
        case .field, .number, .string: "'" + CellText.shown(bytes, cut: true) + "'"
        }
    }
}

/// Memory for the values of a record. Nothing moves until all is forgotten together.
final class RecordMemory {
    private static let blockSize = 64 << 10
    // Unchecked, because nothing that is called while one is accessed accesses it, too.
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawBufferPointer] = []
    @exclusivity(unchecked) private var used = 0

    deinit { for block in blocks { block.deallocate() } }

    func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if let block = blocks.last, block.count - used >= count {
            defer { used += count }
            return UnsafeMutableRawBufferPointer(rebasing: block[used..<used + count])
        }
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count, Self.blockSize), alignment: 16)
        blocks.append(block)
        used = count
        return UnsafeMutableRawBufferPointer(rebasing: block[..<count])
    }

    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy = allocate(bytes.count)
        copy.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(copy)
    }

    func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        bytes.withUnsafeBytes { copy($0) }
    }

    /// Keeps the first block only.
    func forget() {
        while blocks.count > 1 { blocks.removeLast().deallocate() }
        if let block = blocks.first, block.count > Self.blockSize {
            block.deallocate()
            blocks = []
        }
        used = 0
    }
}
