extension ValueType {
    /// The size of the longest value. A mixed one has a tag before its string or data.
    var maximumBytes: Int { Pager.maximumValueBytes + (self == .mixed ? 1 : 0) }

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
        switch traits.reference {
        case .none, .key, .ownedKey: scalar.isStored(as: columnKind)
        case .typedLink: TypedLink(scalar) != nil
        case .mixed:
            // Lists and maps are created in place (`setEmpty`, `insertEmpty`), never passed in as
            // bytes.
            !scalar.isNull && MixedValue(scalar).map { !$0.isCollection } ?? false
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
    /// Whether the engine keeps the objects in the order of the property (``ColumnIndex``), which
    /// the type must allow (``ValueTraits/indexKeyKind``). Primary keys always have an order,
    /// whatever this flag says.
    public var isIndexed: Bool
    /// The name of the table that links or embedded objects lead to.
    public var linkTarget: String?
    /// The bits of the integers that the object layer stores, 8 to 64; 0 for other types, and where
    /// that is not known. The engine stores any integer.
    public var integerBits: Int

    public init(
        name: String, type: ValueType, collection: CollectionKind = .none,
        isOptional: Bool = false, isPrimaryKey: Bool = false, isIndexed: Bool = false,
        linkTarget: String? = nil, integerBits: Int = 0
    ) {
        self.name = name
        self.type = type
        self.collection = collection
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.linkTarget = linkTarget
        self.integerBits = integerBits
    }

    /// Whether integers may be stored that do not fit another definition.
    public func isWider(than other: ColumnDefinition) -> Bool {
        if type != .int || other.type != .int || other.integerBits == 0 { return false }
        return (integerBits == 0 ? 64 : integerBits) > other.integerBits
    }

    /// Whether a value, or an element of the collection, may be null.
    var allowsNull: Bool {
        switch type.traits.reference {
        case .mixed: true
        case .key, .ownedKey, .typedLink: collection == .none || collection == .map
        case .none: isOptional
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
