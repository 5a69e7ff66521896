/// The contents of a run.
package enum PageKind: UInt8, Sendable {
    case node = 1
    case overflow = 2
    case freeSpaceCheckpoint = 3
}

/// The first 64 bytes of every run, read in place.
///
/// This is a view, valid as long as the bytes it points to. `docs/design.md` describes the layout.
@frozen @usableFromInline
package struct PageHeader {
    /// The bytes in front of a run's contents.
    package static let size = 64

    /// The bytes of the seal, which covers everything behind it.
    static let sealSize = 32
    /// The offset at which the seal's zeros begin, after the checksum.
    private static let sealPaddingOffset = 8

    @usableFromInline let bytes: UnsafeRawPointer

    @inlinable
    init(_ bytes: UnsafeRawPointer) { self.bytes = bytes }

    var checksum: UInt64 {
        bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    }

    /// The kind; nil for a byte that names none.
    var kind: PageKind? {
        PageKind(rawValue: bytes.load(fromByteOffset: 32, as: UInt8.self))
    }

    /// The height above the leaves; 0 for a leaf.
    var level: Int { Int(bytes.load(fromByteOffset: 33, as: UInt8.self)) }

    /// Nodes only.
    @inlinable
    var columnCount: Int {
        Int(bytes.loadUnaligned(fromByteOffset: 34, as: UInt16.self))
    }

    /// Whether this is a node of this level with this number of columns. Kind, level and number of
    /// columns are adjacent and compared as one word.
    @inline(__always)
    func isNode(level: Int, columns: Int) -> Bool {
        let form = UInt32(truncatingIfNeeded: columns) &<< 16 | UInt32(Self.nodeForm(level))
        return bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self) == form
    }

    /// Whether this is a node of this level, whatever its number of columns.
    @inline(__always)
    func isNode(level: Int) -> Bool {
        bytes.loadUnaligned(fromByteOffset: 32, as: UInt16.self) == Self.nodeForm(level)
    }

    @inline(__always)
    private static func nodeForm(_ level: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: level) &<< 8 | UInt16(PageKind.node.rawValue)
    }

    /// Where a private copy notes what it was copied from, until it is sealed.
    fileprivate static let baseOffset = 8

    /// The run that a private copy was copied from; none if it is new. Only until it is sealed.
    var base: PageReference {
        PageReference(
            page: bytes.loadUnaligned(fromByteOffset: Self.baseOffset, as: UInt64.self),
            birth: bytes.loadUnaligned(fromByteOffset: Self.baseOffset + 8, as: UInt64.self))
    }

    /// Whether the run is at the bottom of a tree: a leaf, or a value with a run of its own.
    var isLeafOrValue: Bool { kind == .node && level == 0 || kind == .overflow }

    /// The number of pages in the run.
    @inlinable
    var pageCount: Int {
        Int(bytes.loadUnaligned(fromByteOffset: 36, as: UInt32.self))
    }

    /// The version that wrote the run.
    var birth: UInt64 { bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self) }

    var treeID: UInt32 { bytes.loadUnaligned(fromByteOffset: 48, as: UInt32.self) }

    /// Nodes only.
    @inlinable
    var rowCount: Int {
        Int(bytes.loadUnaligned(fromByteOffset: 52, as: UInt32.self))
    }

    /// The lowest key that a node may hold. Other kinds: the length in bytes.
    var lowKey: Int64 { bytes.loadUnaligned(fromByteOffset: 56, as: Int64.self) }
}

extension PageHeader {
    /// Writes a whole header. The seal is zero until `seal(_:pageNumber:fileSeed:)` fills it.
    static func write(
        to base: UnsafeMutableRawPointer, kind: PageKind, level: Int = 0, columnCount: Int = 0,
        pageCount: Int, birth: UInt64, treeID: UInt32, rowCount: Int = 0, lowKey: Int64
    ) {
        base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let header = MutablePageHeader(base)
        header.kind = kind
        header.level = level
        header.columnCount = columnCount
        header.pageCount = pageCount
        header.birth = birth
        header.treeID = treeID
        header.rowCount = rowCount
        header.lowKey = lowKey
    }

    private static func checksum(
        of run: UnsafeRawBufferPointer, pageNumber: UInt64, fileSeed: UInt64
    ) -> UInt64 {
        let seed = fileSeed ^ (pageNumber &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return Checksum.hash(UnsafeRawBufferPointer(rebasing: run[sealSize...]), seed: seed)
    }

    /// Fills in the seal of a finished run and returns the checksum.
    @discardableResult
    static func seal(
        _ run: UnsafeMutableRawBufferPointer, pageNumber: UInt64, fileSeed: UInt64
    ) -> UInt64 {
        let sum = checksum(
            of: UnsafeRawBufferPointer(run), pageNumber: pageNumber, fileSeed: fileSeed)
        for offset in stride(from: sealPaddingOffset, to: sealSize, by: 8) {
            run.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
        }
        run.storeBytes(of: sum, toByteOffset: 0, as: UInt64.self)
        return sum
    }

    /// Whether the run is what was sealed for this page of this file. A run of zeros is not.
    static func isSealed(
        _ run: UnsafeRawBufferPointer, pageNumber: UInt64, fileSeed: UInt64
    ) -> Bool {
        guard run.count >= size else { return false }
        for offset in stride(from: sealPaddingOffset, to: sealSize, by: 8) {
            guard run.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == 0 else {
                return false
            }
        }
        let sum = checksum(of: run, pageNumber: pageNumber, fileSeed: fileSeed)
        return run.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == sum
    }
}

/// The header of a private copy, for writing.
package struct MutablePageHeader {
    let bytes: UnsafeMutableRawPointer

    package init(_ bytes: UnsafeMutableRawPointer) { self.bytes = bytes }

    var reading: PageHeader { PageHeader(UnsafeRawPointer(bytes)) }

    /// The run that it was copied from.
    var base: PageReference {
        get { reading.base }
        nonmutating set {
            let offset = PageHeader.baseOffset
            bytes.storeBytes(of: newValue.page, toByteOffset: offset, as: UInt64.self)
            bytes.storeBytes(of: newValue.birth, toByteOffset: offset + 8, as: UInt64.self)
        }
    }

    var kind: PageKind? {
        get { reading.kind }
        nonmutating set {
            bytes.storeBytes(of: newValue?.rawValue ?? 0, toByteOffset: 32, as: UInt8.self)
        }
    }

    var level: Int {
        get { reading.level }
        nonmutating set {
            bytes.storeBytes(of: UInt8(newValue), toByteOffset: 33, as: UInt8.self)
        }
    }

    var columnCount: Int {
        get { reading.columnCount }
        nonmutating set {
            bytes.storeBytes(of: UInt16(newValue), toByteOffset: 34, as: UInt16.self)
        }
    }

    var pageCount: Int {
        get { reading.pageCount }
        nonmutating set {
            bytes.storeBytes(of: UInt32(newValue), toByteOffset: 36, as: UInt32.self)
        }
    }

    var birth: UInt64 {
        get { reading.birth }
        nonmutating set { bytes.storeBytes(of: newValue, toByteOffset: 40, as: UInt64.self) }
    }

    var treeID: UInt32 {
        get { reading.treeID }
        nonmutating set { bytes.storeBytes(of: newValue, toByteOffset: 48, as: UInt32.self) }
    }

    var rowCount: Int {
        get { reading.rowCount }
        nonmutating set {
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 52, as: UInt32.self)
        }
    }

    package var lowKey: Int64 {
        get { reading.lowKey }
        nonmutating set { bytes.storeBytes(of: newValue, toByteOffset: 56, as: Int64.self) }
    }
}
