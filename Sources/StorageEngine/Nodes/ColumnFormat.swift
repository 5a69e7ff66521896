/// How the values of a column are stored.
public enum ColumnKind: UInt8, Sendable {
    case integer = 1
    case float = 2
    case double = 3
    /// Strings, data and all other values of varying length.
    case bytes = 4
    /// Sixteen raw bytes per row.
    case fixed16 = 5
    /// Twelve raw bytes per row.
    case fixed12 = 6

    /// Whether values are stored as integers: a base plus packed deltas.
    var isPacked: Bool { rawValue <= ColumnKind.double.rawValue }
}

/// The identity and kind of a column, without its location in a page.
@frozen
public struct ColumnFormat: Equatable, Sendable {
    public var id: UInt16
    public var kind: ColumnKind

    @inlinable
    public init(id: UInt16, kind: ColumnKind) {
        self.id = id
        self.kind = kind
    }
}

/// The id and kind of a column as one word, laid out as in a node's directory, so that one
/// comparison tells whether a node stores the column, and with which kind.
///
/// Every reader compares the tag before it reads a value from a node. Nodes of a malicious file may
/// have any columns, and the accessors of a wrong kind would read outside of the node.
@frozen
public struct ColumnTag: Sendable {
    @usableFromInline let word: UInt64

    @inlinable
    public init(_ format: ColumnFormat) { self.init(id: format.id, kind: format.kind) }

    @inlinable @inline(__always)
    init(id: UInt16, kind: ColumnKind) {
        word = UInt64(id) | UInt64(kind.rawValue) << 16
    }
}

/// One 40-byte entry of a node's column directory, read and written in place.
///
/// `docs/design.md` describes the layout. While a node is being laid out (`NodeDraft`), two fields
/// of the draft's entries hold requests: `nullOffset` 1 asks for a null bitmap, and `heapCapacity`
/// is the number of heap bytes needed.
@frozen @usableFromInline
struct ColumnEntry {
    @usableFromInline static let size = 40
    /// The offset of the directory in a node: after the page header, row capacity and padding.
    @usableFromInline static let directoryOffset = 72

    @usableFromInline static let hasNulls: UInt16 = 1
    @usableFromInline static let whole: UInt16 = 2
    @usableFromInline static let spilled: UInt16 = 4
    @usableFromInline static let ramp: UInt16 = 8
    /// Whether a column of bytes has a prefix. Libraries that know none take the node for damaged.
    @usableFromInline static let prefixed: UInt16 = 16

    @usableFromInline let p: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(_ p: UnsafeMutableRawPointer) { self.p = p }

    @inlinable @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
        UnsafeRawPointer(p).loadUnaligned(fromByteOffset: offset, as: type)
    }

    @inlinable @inline(__always)
    func store<T: BitwiseCopyable>(_ offset: Int, _ value: T) {
        p.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    var id: UInt16 {
        get { load(0, UInt16.self) }
        nonmutating set { store(0, newValue) }
    }
    @inlinable var kindCode: UInt8 { load(2, UInt8.self) }
    var kind: ColumnKind {
        @inline(__always) get { ColumnKind(rawValue: kindCode).unsafelyUnwrapped }
        nonmutating set { store(2, newValue.rawValue) }
    }
    /// The bits of a packed value; 0 if all values are equal or the column is a ramp. In a column
    /// of bytes those of an end (``PackedEnds``), or of an end offset.
    @inlinable var width: Int {
        get { Int(load(3, UInt8.self)) }
        nonmutating set { store(3, UInt8(truncatingIfNeeded: newValue)) }
    }
    @inlinable var flags: UInt16 {
        get { load(4, UInt16.self) }
        nonmutating set { store(4, newValue) }
    }
    @inlinable var dataOffset: Int {
        get { Int(load(8, UInt32.self)) }
        nonmutating set { store(8, UInt32(truncatingIfNeeded: newValue)) }
    }
    @inlinable var nullOffset: Int {
        get { Int(load(12, UInt32.self)) }
        nonmutating set { store(12, UInt32(truncatingIfNeeded: newValue)) }
    }
    @inlinable var base: Int64 {
        get { load(16, Int64.self) }
        nonmutating set { store(16, newValue) }
    }
    /// The bytes with which all strings of a column of bytes begin, and which it therefore keeps
    /// once; see ``SharedPrefix``.
    @inlinable var prefixLength: Int {
        @inline(__always) get { Int(truncatingIfNeeded: base) }
        nonmutating set {
            base = Int64(newValue)
            flags =
                newValue > 0 ? flags | ColumnEntry.prefixed : flags & ~ColumnEntry.prefixed
        }
    }
    /// Whether the end offsets of a column of bytes are packed (``PackedEnds``).
    @inlinable var hasPackedEnds: Bool {
        @inline(__always) get { width == PackedEnds.width }
    }
    @inlinable var heapOffset: Int {
        get { Int(load(24, UInt32.self)) }
        nonmutating set { store(24, UInt32(truncatingIfNeeded: newValue)) }
    }
    var heapCapacity: Int {
        get { Int(load(28, UInt32.self)) }
        nonmutating set { store(28, UInt32(truncatingIfNeeded: newValue)) }
    }
    var heapUsed: Int {
        get { Int(load(32, UInt32.self)) }
        nonmutating set {
            store(32, UInt32(truncatingIfNeeded: newValue))
            store(36, UInt32(0))
        }
    }
    var spillReference: PageReference {
        get { PageReference(page: load(24, UInt64.self), birth: load(32, UInt64.self)) }
        nonmutating set {
            store(24, newValue.page)
            store(32, newValue.birth)
        }
    }
    @inlinable var isSpilled: Bool { flags & ColumnEntry.spilled != 0 }
    /// Whether this is the tag's column and its rows are in this node.
    @inlinable @inline(__always)
    func isInline(_ tag: ColumnTag) -> Bool {
        // The entry's first word holds id, kind, width and flags. The mask drops width and all
        // flags but `spilled`, which must be clear.
        let mask: UInt64 = 0xFF_FFFF | UInt64(ColumnEntry.spilled) << 32
        return load(0, UInt64.self) & mask == tag.word
    }
    @inlinable var isWhole: Bool {
        get { flags & ColumnEntry.whole != 0 }
        nonmutating set {
            flags = newValue ? flags | ColumnEntry.whole : flags & ~ColumnEntry.whole
        }
    }

    /// Whether row `i` of an integer column has the value `base + i`. The width of a ramp is 0; the
    /// flag has no meaning for other widths.
    @inlinable var isRamp: Bool {
        @inline(__always) get { flags & ColumnEntry.ramp != 0 }
        nonmutating set {
            flags = newValue ? flags | ColumnEntry.ramp : flags & ~ColumnEntry.ramp
        }
    }

    /// Returns the bytes of the data region for `rows` rows, without heap and null bitmap.
    func dataBytes(rows: Int) -> Int {
        ColumnEntry.dataBytes(rows: rows, kind: kind, width: width)
    }

    static func dataBytes(rows: Int, kind: ColumnKind, width: Int) -> Int {
        kind == .bytes && width == PackedEnds.width
            ? PackedEnds.bytes(rows: rows) : (rows * width + 63) / 64 * 8
    }

    /// The bits of the data region for a row.
    var bitsPerRow: Int { kind == .bytes && hasPackedEnds ? PackedEnds.bitsPerRow : width }

    /// Returns the bytes of a null bitmap for `rows` rows.
    static func nullBytes(rows: Int) -> Int { (rows + 63) / 64 * 8 }

    func initialize(_ format: ColumnFormat) {
        p.initializeMemory(as: UInt8.self, repeating: 0, count: ColumnEntry.size)
        id = format.id
        kind = format.kind
        switch format.kind {
        case .integer: width = 0
        case .float, .double: isWhole = true
        case .bytes: width = PackedEnds.width
        case .fixed16: width = 128
        case .fixed12: width = 96
        }
    }
}
