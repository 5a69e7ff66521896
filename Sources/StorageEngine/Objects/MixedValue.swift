/// A value of a mixed column or collection, decoded.
///
/// Values are stored as bytes (`Scalar.bytes`): a tag, which is the raw value of the value's
/// ``ValueType`` or `0x80` plus that of its ``CollectionKind``, then
///
/// | tag | contents |
/// | --- | --- |
/// | 1 bool | 0 or 1 |
/// | 2 int | a signed variable-length integer |
/// | 3 float, 4 double, 7 date | the bits: 4, 8, 8 bytes |
/// | 5 string, 6 data | the bytes |
/// | 8 uuid, 10 objectID, 11 decimal128 | 16, 12, 16 bytes |
/// | 13 link | table and object key: variable-length integers |
/// | 0x81 list, 0x83 map | `NestedCollection` |
///
/// Null is the column's null. Equal values have equal bytes, except decimals of one value with
/// different trailing zeros.
public enum MixedValue {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(UnsafeRawBufferPointer)
    case data(UnsafeRawBufferPointer)
    /// Seconds since the reference date.
    case date(Double)
    /// Bytes 0..<8 and 8..<16, loaded little-endian.
    case uuid(UInt64, UInt64)
    /// Bytes 0..<8 and 8..<12, loaded little-endian.
    case objectID(UInt64, UInt32)
    case decimal128(Decimal128)
    case link(TypedLink)
    /// A list or map of mixed values: all bytes as stored. Elements are read through its handle, or
    /// by ``Connection/forEachElement(of:_:)``.
    case list(UnsafeRawBufferPointer)
    case map(UnsafeRawBufferPointer)

    @inlinable
    var isCollection: Bool {
        switch self {
        case .list, .map: true
        default: false
        }
    }
}

// MARK: What a value is

extension MixedValue {
    /// The type of the value; nil for null, lists and maps.
    @inlinable
    public var type: ValueType? {
        switch self {
        case .null, .list, .map: nil
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .objectID: .objectID
        case .decimal128: .decimal128
        case .link: .typedLink
        }
    }

    /// The kinds of values in their order. Only values of one kind can be equal.
    enum Kind: Int { case null, bool, number, string, data, date, objectID, uuid, link, collection }

    var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int, .float, .double, .decimal128: .number
        case .string: .string
        case .data: .data
        case .date: .date
        case .objectID: .objectID
        case .uuid: .uuid
        case .link: .link
        case .list, .map: .collection
        }
    }

    /// A number as it is added and compared with other numbers.
    public enum Number {
        case integer(Int64)
        case floating(Double)
        case decimal(Decimal128)
    }

    /// The value as a number; nil for a value that is not one.
    @inlinable
    public var number: Number? {
        switch self {
        case .int(let value): .integer(value)
        case .float(let value): .floating(Double(value))
        case .double(let value): .floating(value)
        case .decimal128(let value): .decimal(value)
        case .null, .bool, .string, .data, .date, .uuid, .objectID, .link, .list, .map: nil
        }
    }

    /// Whether the value is a number or date that is not a number.
    @inlinable
    public var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value), .date(let value): value.isNaN
        case .decimal128(let value): value.isNaN
        case .null, .bool, .int, .string, .data, .uuid, .objectID, .link, .list, .map: false
        }
    }
}

// MARK: Order

extension MixedValue {
    /// Compares two values of one kind that are not numbers.
    static func compareOfOneKind(_ a: MixedValue, _ b: MixedValue) -> Int {
        switch (a, b) {
        case (.bool(let a), .bool(let b)):
            return ValueOrder.compareIntegers(a ? 1 : 0, b ? 1 : 0)
        case (.string(let a), .string(let b)), (.data(let a), .data(let b)):
            return compareBytes(a, b)
        case (.date(let a), .date(let b)): return ValueOrder.compare(a, b)
        case (.objectID(let a, let c), .objectID(let b, let d)):
            return ValueOrder(type: .objectID).compare(.fixed12(a, c), .fixed12(b, d))
        case (.uuid(let a, let c), .uuid(let b, let d)):
            return ValueOrder(type: .uuid).compare(.fixed16(a, c), .fixed16(b, d))
        case (.link(let a), .link(let b)):
            return a.table == b.table
                ? ValueOrder.compareIntegers(a.key.rawValue, b.key.rawValue)
                : ValueOrder.compareIntegers(Int64(a.table), Int64(b.table))
        case (.bool, _), (.string, _), (.data, _), (.date, _), (.objectID, _), (.uuid, _),
            (.link, _), (.int, _), (.float, _), (.double, _), (.decimal128, _):
            preconditionFailure("values of different kinds")
        case (.null, _), (.list, _), (.map, _): return 0
        }
    }
}

// MARK: As a column stores it

extension MixedValue {
    /// Converts a value of a column that is not a link; nil if the column cannot hold it.
    @inlinable
    public init?(_ value: Scalar, storedAs type: ValueType) {
        if case .null = value {
            self = .null
            return
        }
        switch (type, value) {
        case (.mixed, _): self.init(value)
        case (.bool, .integer(let value)): self = .bool(value != 0)
        case (.int, .integer(let value)): self = .int(value)
        case (.float, .float(let value)): self = .float(value)
        case (.double, .double(let value)): self = .double(value)
        case (.date, .double(let value)): self = .date(value)
        case (.string, .bytes(let bytes)): self = .string(bytes)
        case (.data, .bytes(let bytes)): self = .data(bytes)
        case (.uuid, .fixed16(let first, let second)): self = .uuid(first, second)
        case (.decimal128, .fixed16(let low, let high)):
            self = .decimal128(Decimal128(low: low, high: high))
        case (.typedLink, _):
            guard let link = TypedLink(value) else { return nil }
            self = .link(link)
        case (.objectID, .fixed12(let first, let second)): self = .objectID(first, second)
        case (.bool, _), (.int, _), (.float, _), (.double, _), (.date, _), (.string, _),
            (.data, _), (.uuid, _), (.decimal128, _), (.objectID, _), (.link, _), (.embedded, _):
            return nil
        }
    }
}

// MARK: As it is stored

extension MixedValue {
    /// Decodes a value read from the engine; nil if the bytes are not a mixed value.
    public init?(_ scalar: Scalar) {
        switch scalar {
        case .null: self = .null
        case .bytes(let bytes):
            guard let value = MixedValue(decoding: bytes) else { return nil }
            self = value
        default: return nil
        }
    }

    private init?(decoding bytes: UnsafeRawBufferPointer) {
        guard let tag = bytes.first else { return nil }
        let contents = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        if let nested = NestedCollection(bytes) {
            self = nested.kind == .list ? .list(bytes) : .map(bytes)
            return
        }
        guard let type = ValueType(rawValue: tag), type.traits.mayBeMixed else { return nil }
        if type == .string {
            self = .string(contents)
        } else if type == .data {
            self = .data(contents)
        } else {
            var reader = VariableLengthIntegerReader(contents)
            guard let value = reader.mixedValue(type), reader.remaining == 0 else { return nil }
            self = value
        }
    }

    /// Calls `body` with the value in the form in which a mixed column takes it.
    ///
    /// - Precondition: the value is not a list or map. Those are created by `setEmpty` and
    ///   `insertEmpty`.
    public func withScalar<R, E>(_ body: (Scalar) throws(E) -> R) throws(E) -> R {
        if case .null = self { return try body(.null) }
        return try encoded().withBytes { bytes throws(E) in try body(.bytes(bytes)) }
    }

    private func encoded() -> [UInt8] {
        var image: [UInt8] = []
        switch self {
        case .null, .list, .map:
            preconditionFailure("lists and maps are made empty, then filled")
        case .bool(let value): image = [ValueType.bool.rawValue, value ? 1 : 0]
        case .int(let value):
            image.append(ValueType.int.rawValue)
            VariableLengthInteger.append(signed: value, to: &image)
        case .float(let value): image.append(.float, value.bitPattern)
        case .double(let value): image.append(.double, value.bitPattern)
        case .date(let value): image.append(.date, value.bitPattern)
        case .string(let bytes):
            image.reserveCapacity(bytes.count + 1)
            image.append(ValueType.string.rawValue)
            image.append(contentsOf: bytes)
        case .data(let bytes):
            image.reserveCapacity(bytes.count + 1)
            image.append(ValueType.data.rawValue)
            image.append(contentsOf: bytes)
        case .uuid(let first, let second):
            image.append(.uuid, first)
            image.append(littleEndian: second)
        case .objectID(let first, let second):
            image.append(.objectID, first)
            image.append(littleEndian: second)
        case .decimal128(let value):
            image.append(.decimal128, value.low)
            image.append(littleEndian: value.high)
        case .link(let link):
            image.append(ValueType.typedLink.rawValue)
            VariableLengthInteger.append(UInt64(link.table), to: &image)
            VariableLengthInteger.append(UInt64(bitPattern: link.key.rawValue), to: &image)
        }
        return image
    }
}

extension VariableLengthIntegerReader {
    /// Reads the contents of a value that is neither string, data nor collection.
    fileprivate mutating func mixedValue(_ type: ValueType) -> MixedValue? {
        switch type {
        case .bool: fixed(UInt8.self).flatMap { $0 <= 1 ? .bool($0 == 1) : nil }
        case .int: nextSigned().map { .int($0) }
        case .float: fixed(UInt32.self).map { .float(Float(bitPattern: $0)) }
        case .double: fixed(UInt64.self).map { .double(Double(bitPattern: $0)) }
        case .date: fixed(UInt64.self).map { .date(Double(bitPattern: $0)) }
        case .uuid: words(UInt64.self).map { .uuid($0, $1) }
        case .objectID: words(UInt32.self).map { .objectID($0, $1) }
        case .decimal128: words(UInt64.self).map { .decimal128(Decimal128(low: $0, high: $1)) }
        case .typedLink: link().map { .link($0) }
        case .string, .data, .link, .mixed, .embedded: nil
        }
    }

    private mutating func words<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type
    ) -> (UInt64, T)? {
        guard let first = fixed(UInt64.self), let second = fixed(type) else { return nil }
        return (first, second)
    }

    private mutating func link() -> TypedLink? {
        guard let table = next(), table <= UInt64(Int32.max), let key = next() else { return nil }
        return TypedLink(table: Int(table), key: ObjectKey(rawValue: Int64(bitPattern: key)))
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ type: ValueType, _ word: some FixedWidthInteger) {
        append(type.rawValue)
        append(littleEndian: word)
    }

    /// Appends the bytes of an integer of fixed size.
    mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
