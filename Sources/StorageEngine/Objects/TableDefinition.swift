/// The types of values that a column can hold. The raw values are stored on disk.
public enum ValueType: UInt8, Sendable, Hashable {
    case bool = 1
    case int, float, double, string, data, date, uuid, link
    case objectID, decimal128
    /// A value of any other type except `embedded`, null, or a list or map of mixed values.
    case mixed
    /// A link to an object of any table.
    case typedLink
    /// A link to an object that is owned by the object with the link, and deleted with it.
    case embedded
}

extension ValueType {
    /// The kind of column in which nodes store the type.
    var columnKind: ColumnKind {
        switch self {
        case .bool, .int, .link, .embedded: .integer
        case .float: .float
        case .double, .date: .double
        case .string, .data, .mixed: .bytes
        case .uuid, .decimal128, .typedLink: .fixed16
        case .objectID: .fixed12
        }
    }

    /// Whether all values of a column lead to one table, which its definition names.
    var hasFixedTarget: Bool { self == .link || self == .embedded }

    /// The size of the longest value. A mixed one has a tag before its string or data.
    var maximumBytes: Int { Pager.maximumValueBytes + (self == .mixed ? 1 : 0) }

    /// Whether values may refer to objects, so that the engine keeps backlinks for them.
    var mayRefer: Bool { hasFixedTarget || self == .typedLink || self == .mixed }

    /// Whether scans compare and sort values, as numbers or by their bytes. For the other types,
    /// the order of the stored form differs from that of the values.
    var isCompared: Bool {
        switch self {
        case .decimal128, .objectID, .mixed, .typedLink: false
        default: true
        }
    }

    /// The value of a column in a leaf written before the column existed, and in an object inserted
    /// without a value for it.
    func defaultScalar(isOptional: Bool) -> Scalar {
        if isOptional || mayRefer { return .null }
        switch columnKind {
        case .integer: return .integer(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .bytes: return .bytes(UnsafeRawBufferPointer(start: nil, count: 0))
        case .fixed16: return .fixed16(0, 0)
        case .fixed12: return .fixed12(0, 0)
        }
    }

    func accepts(_ scalar: Scalar) -> Bool {
        switch (columnKind, scalar) {
        case (.integer, .integer), (.float, .float), (.double, .double), (.fixed12, .fixed12):
            true
        case (.fixed16, .fixed16): self != .typedLink || TypedLink(scalar) != nil
        case (.bytes, .bytes):
            // Lists and maps are created in place (`setEmpty`, `insertEmpty`), never passed in as
            // bytes.
            self != .mixed || MixedValue(scalar).map { !$0.isCollection } ?? false
        default: false
        }
    }
}

/// The number of values that a column holds for one object. The raw values are stored on disk.
public enum CollectionKind: UInt8, Sendable, Hashable {
    case none = 0
    case list = 1
    /// Distinct values in ascending order; see ``SetHandle``.
    case set = 2
    /// Values by string keys, in ascending order of the keys.
    case map = 3
}

/// The definition of one column of a table.
public struct ColumnDefinition: Hashable, Sendable {
    public var name: String
    public var type: ValueType
    public var collection: CollectionKind
    /// Whether a value, or an element of a collection, may be null. Links, typed links and embedded
    /// objects always may, except in lists and sets, where they never may. Mixed values always may.
    public var isOptional: Bool
    public var isPrimaryKey: Bool
    /// Whether the engine keeps the objects in the order of the property (``ColumnIndex``). Bool,
    /// int, string, date, UUID and object id properties may be indexed. Primary keys always are,
    /// whatever this flag says.
    public var isIndexed: Bool
    /// The name of the table that links or embedded objects lead to.
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

    /// Whether a value, or an element of the collection, may be null.
    var allowsNull: Bool {
        switch type {
        case .mixed: true
        case .link, .typedLink, .embedded: collection == .none || collection == .map
        default: isOptional
        }
    }
}

/// The definition of a table and its columns.
public struct TableDefinition: Hashable, Sendable {
    public var name: String
    public var columns: [ColumnDefinition]
    /// Whether each object is owned by exactly one other, in whose `embedded` column it is created.
    public var isEmbedded: Bool

    public init(name: String, columns: [ColumnDefinition], isEmbedded: Bool = false) {
        self.name = name
        self.columns = columns
        self.isEmbedded = isEmbedded
    }
}
