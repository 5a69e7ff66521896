/// The types of values a column can hold. The raw values are on disk; see `docs/design.md` for
/// those reserved.
public enum ValueType: UInt8, Sendable, Hashable {
    case bool = 1
    case int, float, double, string, data, date, uuid, link
}

extension ValueType {
    /// How nodes store the type.
    var columnKind: ColumnKind {
        switch self {
        case .bool, .int, .link: .integer
        case .float: .float
        case .double, .date: .double
        case .string, .data: .bytes
        case .uuid: .fixed16
        }
    }

    /// The value of a column in a leaf written before the column existed, and of list slots without
    /// a value.
    func defaultScalar(isOptional: Bool) -> Scalar {
        if isOptional || self == .link { return .null }
        switch columnKind {
        case .integer: return .integer(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .bytes: return .bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        case .fixed16: return .fixed16(0, 0)
        }
    }

    func accepts(_ scalar: Scalar) -> Bool {
        switch (columnKind, scalar) {
        case (.integer, .integer), (.float, .float), (.double, .double), (.bytes, .bytes),
            (.fixed16, .fixed16):
            true
        default: false
        }
    }
}

/// How many values a column holds for one object. The raw values are on disk.
public enum CollectionKind: UInt8, Sendable, Hashable {
    case none = 0
    case list = 1
}

/// One column of a table, as its creator describes it.
public struct ColumnDefinition: Hashable, Sendable {
    public var name: String
    public var type: ValueType
    public var collection: CollectionKind
    /// Whether a value (for lists: an element) may be null. Links are always optional, elements of
    /// lists of links never.
    public var isOptional: Bool
    public var isPrimaryKey: Bool
    /// Recorded; the engine keeps no secondary index in this format version.
    public var isIndexed: Bool
    /// The name of the table that a link or a list of links leads to.
    public var linkTarget: String?

    public init(
        name: String, type: ValueType, collection: CollectionKind = .none,
        isOptional: Bool = false, isPrimaryKey: Bool = false, isIndexed: Bool = false,
        linkTarget: String? = nil
    ) {
        self.name = name
        self.type = type
        self.collection = collection
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.linkTarget = linkTarget
    }
}

/// A table and its columns, as their creator describes them.
public struct TableDefinition: Hashable, Sendable {
    public var name: String
    public var columns: [ColumnDefinition]
    /// Recorded for object layers that distinguish embedded objects.
    public var isEmbedded: Bool

    public init(name: String, columns: [ColumnDefinition], isEmbedded: Bool = false) {
        self.name = name
        self.columns = columns
        self.isEmbedded = isEmbedded
    }
}

/// The name of an object within its table. Never reused.
@frozen
public struct ObjectKey: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int64

    @inlinable
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Where a row lies: valid until the connection's `layoutStamp` changes.
@frozen
public struct RowLocation {
    public var leaf: Node
    public var row: Int

    @inlinable
    public init(leaf: Node, row: Int) {
        self.leaf = leaf
        self.row = row
    }
}
