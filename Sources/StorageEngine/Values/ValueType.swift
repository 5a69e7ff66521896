/// The types of values that a column can hold. The raw values are stored on disk.
///
/// | type | ``Scalar`` |
/// | --- | --- |
/// | Bool | `integer`, 0 or 1 |
/// | integers of all widths | `integer` |
/// | Float, Double | `float`, `double` |
/// | Date | `double`: seconds since the reference date |
/// | String | `bytes`, UTF-8 |
/// | Data | `bytes` |
/// | UUID | `fixed16`: bytes 0..<8 and 8..<16, loaded little-endian |
/// | ObjectId | `fixed12`: bytes 0..<8 and 8..<12, loaded little-endian |
/// | Decimal128 | `fixed16`: low and high word of the IEEE 754 encoding; see ``Decimal128`` |
/// | link, embedded object | `integer`: the target's object key |
/// | typed link | `fixed16`: the target's table and object key; see ``TypedLink`` |
/// | mixed | `bytes`, or `null`; see ``MixedValue`` |
public enum ValueType: UInt8, Sendable, Hashable, CaseIterable {
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

/// What distinguishes one type of values from another, as answers to the questions that storage,
/// indexes, queries and schemas ask.
@frozen
public struct ValueTraits: Sendable {
    /// How the values of a type are ordered; see `ValueOrder`.
    public enum Order: Sendable {
        /// As integers.
        case integers
        /// As floating-point numbers: NaN first, and -0 equals 0.
        case numbers
        /// As decimals: by value, whatever their trailing zeros.
        case decimals
        /// By all bytes of the stored form.
        case bytes
        /// By table, then by object key.
        case links
        /// By the types of the values first.
        case mixed
    }

    /// What operators of queries take a value for.
    public enum Family: Sendable {
        case bool, number, string, data, date
        /// A value that is equal to others or not, and has an order by its bytes.
        case identifier
        case link
        case mixed

        /// Whether values can be less or greater than others.
        @inlinable
        public var isOrdered: Bool {
            switch self {
            case .bool, .link: false
            case .number, .string, .data, .date, .identifier, .mixed: true
            }
        }
    }

    /// How numbers are added.
    public enum Addition: Sendable {
        case none
        /// Exactly.
        case integers
        case doubles
        case decimals
    }

    /// How a value names the object that it refers to.
    public enum Reference: Sendable {
        case none
        /// By its key in the table that the column names.
        case key
        /// Likewise, and it owns the object.
        case ownedKey
        /// By table and key.
        case typedLink
        /// As a mixed value, which can also be something else or hold several.
        case mixed
    }

    /// The name in messages.
    public let name: StaticString
    /// The kind of column in which nodes store the type.
    public let columnKind: ColumnKind
    public let order: Order
    public let family: Family
    public let addition: Addition
    public let reference: Reference
    /// The kind of the keys by which an index holds values of the type, as integers or bytes in
    /// their natural order; nil for a type that cannot be indexed.
    public let indexKeyKind: ColumnKind?
    public let mayBePrimaryKey: Bool
    /// Whether mixed values can be of the type. Their tag is then its raw value.
    public let mayBeMixed: Bool

    @usableFromInline @inline(__always)
    init(
        _ name: StaticString, _ columnKind: ColumnKind, order: Order, family: Family,
        adds addition: Addition = .none, refersBy reference: Reference = .none,
        indexedBy indexKeyKind: ColumnKind? = nil, mayBePrimaryKey: Bool = false,
        mayBeMixed: Bool = true
    ) {
        self.name = name
        self.columnKind = columnKind
        self.order = order
        self.family = family
        self.addition = addition
        self.reference = reference
        self.indexKeyKind = indexKeyKind
        self.mayBePrimaryKey = mayBePrimaryKey
        self.mayBeMixed = mayBeMixed
    }
}

extension ValueType {
    /// The table of all types. It is inlined, so that whoever asks for one trait tests for that.
    @inlinable @inline(__always)
    public var traits: ValueTraits {
        switch self {
        case .bool:
            ValueTraits("bool", .integer, order: .integers, family: .bool, indexedBy: .integer)
        case .int:
            ValueTraits(
                "int", .integer, order: .integers, family: .number, adds: .integers,
                indexedBy: .integer, mayBePrimaryKey: true)
        case .float: ValueTraits("float", .float, order: .numbers, family: .number, adds: .doubles)
        case .double:
            ValueTraits("double", .double, order: .numbers, family: .number, adds: .doubles)
        case .string:
            ValueTraits(
                "string", .bytes, order: .bytes, family: .string, indexedBy: .bytes,
                mayBePrimaryKey: true)
        case .data: ValueTraits("data", .bytes, order: .bytes, family: .data)
        case .date:
            ValueTraits("date", .double, order: .numbers, family: .date, indexedBy: .integer)
        case .uuid:
            ValueTraits(
                "uuid", .fixed16, order: .bytes, family: .identifier, indexedBy: .bytes,
                mayBePrimaryKey: true)
        case .objectID:
            ValueTraits(
                "object id", .fixed12, order: .bytes, family: .identifier, indexedBy: .bytes,
                mayBePrimaryKey: true)
        case .decimal128:
            ValueTraits("decimal128", .fixed16, order: .decimals, family: .number, adds: .decimals)
        case .mixed:
            ValueTraits(
                "mixed", .bytes, order: .mixed, family: .mixed, adds: .decimals, refersBy: .mixed,
                mayBeMixed: false)
        case .link:
            ValueTraits(
                "object", .integer, order: .integers, family: .link, refersBy: .key,
                mayBeMixed: false)
        case .embedded:
            ValueTraits(
                "object", .integer, order: .integers, family: .link, refersBy: .ownedKey,
                mayBeMixed: false)
        case .typedLink:
            ValueTraits("typed link", .fixed16, order: .links, family: .link, refersBy: .typedLink)
        }
    }

    /// The name in messages.
    public var name: String { traits.name.description }

    @inline(__always)
    var columnKind: ColumnKind { traits.columnKind }

    /// Whether all values of a column lead to one table, which its definition names.
    @inline(__always)
    var hasFixedTarget: Bool {
        switch traits.reference {
        case .key, .ownedKey: true
        case .none, .typedLink, .mixed: false
        }
    }

    /// Whether values may refer to objects, so that the engine keeps backlinks for them.
    @inline(__always)
    var mayRefer: Bool { traits.reference != .none }

    /// Whether scans compare and sort values, as numbers or by their bytes. For the other types,
    /// the order of the stored form differs from that of the values, or no kernel reads it.
    var isCompared: Bool {
        switch traits.order {
        case .integers, .numbers, .bytes: columnKind != .fixed12
        case .decimals, .links, .mixed: false
        }
    }
}

extension Scalar {
    /// Whether the value is not null and is stored in columns of a kind.
    func isStored(as kind: ColumnKind) -> Bool {
        switch (kind, self) {
        case (.integer, .integer), (.float, .float), (.double, .double), (.bytes, .bytes),
            (.fixed16, .fixed16), (.fixed12, .fixed12):
            true
        default: false
        }
    }
}
