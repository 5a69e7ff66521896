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

    public var isCollection: Bool {
        switch self {
        case .list, .map: true
        default: false
        }
    }
}

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
        guard let type = ValueType(rawValue: tag) else { return nil }
        switch type {
        case .string: self = .string(contents)
        case .data: self = .data(contents)
        default:
            var reader = VariableLengthIntegerReader(contents)
            guard let value = reader.mixedValue(type), reader.remaining == 0 else { return nil }
            self = value
        }
    }

    /// Calls `body` with the value in the form in which a mixed column takes it.
    ///
    /// - Precondition: the value is not a list or map. Those are created by `setEmpty` and
    ///   `insertEmpty`.
    public func withScalar<R>(_ body: (Scalar) throws -> R) rethrows -> R {
        if case .null = self { return try body(.null) }
        return try encoded().withUnsafeBytes { try body(.bytes($0)) }
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
