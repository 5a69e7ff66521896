/// The input of the fuzzer: a seed file, and changes to it before it is opened.
///
/// It is encoded as two bytes, then sixteen for each change. Any bytes are an input: bytes beyond
/// the last whole change, or beyond the largest number of changes, are ignored.
struct FuzzInput {
    /// One change of a file. The meaning of the numbers depends on the kind. Each is taken modulo
    /// what exists, so that every change does something.
    struct Change {
        static let byteCount = 16

        enum Kind: UInt8, CaseIterable {
            /// Overwrites bytes of a run. `place` is the offset.
            case bytes
            /// Overwrites bytes in the header and the column directory of a node.
            case directory
            /// Sets an integer of a node. `place` is the column and the row.
            case integer
            /// Redirects a reference of a run (a branch's row, a spilled column, a long value, the
            /// root of a collection) to another run. `place` selects the reference, `value` the
            /// target.
            case reference
            /// Gives a run the contents of another run of the same length.
            case contents
            /// Overwrites bytes of the newest commit record.
            case record
            /// Overwrites bytes of the clean-close marker.
            case marker
            /// Overwrites bytes of the file header.
            case header
        }

        var kind: Kind
        /// Bytes of the value that are written: 1 to 8.
        var width: Int
        /// Number of the run.
        var run: UInt16
        var place: UInt32
        var value: UInt64
    }

    struct Options: OptionSet {
        let rawValue: UInt8
        /// The file has no clean-close marker, as if the process had been killed.
        static let isCrashed = Options(rawValue: 1)
        /// Checksums are not corrected, so most changes are found at once.
        static let keepsSeals = Options(rawValue: 2)
        /// Writes a packed copy as well.
        static let copies = Options(rawValue: 4)
        /// Deletes everything as well.
        static let deletes = Options(rawValue: 8)
    }

    static let headerByteCount = 2
    static let maximumChanges = 32

    var seed: UInt8 = 0
    var options: Options = []
    var changes: [Change] = []
}

extension FuzzInput {
    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerByteCount else { return }
        seed = bytes[0]
        options = Options(rawValue: bytes[1])
        var offset = Self.headerByteCount
        while offset + Change.byteCount <= bytes.count, changes.count < Self.maximumChanges {
            changes.append(
                Change(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Change.byteCount])))
            offset += Change.byteCount
        }
    }

    /// Encodes as many changes as fit. Returns the number of bytes.
    func encode(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard bytes.count >= Self.headerByteCount else { return 0 }
        bytes[0] = seed
        bytes[1] = options.rawValue
        var offset = Self.headerByteCount
        for change in changes where offset + Change.byteCount <= bytes.count {
            change.encode(
                to: UnsafeMutableRawBufferPointer(
                    rebasing: bytes[offset..<offset + Change.byteCount]))
            offset += Change.byteCount
        }
        return offset
    }
}

extension FuzzInput.Change {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        kind = Kind.allCases[Int(bytes[0]) % Kind.allCases.count]
        width = Int(bytes[1]) % 8 + 1
        run = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        place = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        value = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    fileprivate func encode(to bytes: UnsafeMutableRawBufferPointer) {
        bytes[0] = kind.rawValue
        bytes[1] = UInt8(width - 1)
        bytes.storeBytes(of: run, toByteOffset: 2, as: UInt16.self)
        bytes.storeBytes(of: place, toByteOffset: 4, as: UInt32.self)
        bytes.storeBytes(of: value, toByteOffset: 8, as: UInt64.self)
    }
}
