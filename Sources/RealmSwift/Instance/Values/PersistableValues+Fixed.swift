import Foundation
import StorageEngine

extension UUID: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = UUID
    public static var _valueType: ValueType { .uuid }
    public static func _makeDefault() -> UUID { UUID() }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, _ row: Int) -> UUID {
        UUID(uuid: node.fixed16(column, row).loadUnaligned(as: uuid_t.self))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> UUID {
        guard case .fixed16(let first, let second) = scalar else {
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        return withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    @inlinable
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        let halves = withUnsafeBytes(of: uuid) {
            (
                UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        return body(.fixed16(halves.0, halves.1))
    }

    public static func _convertScalar(_ value: Any) -> UUID? {
        (value as? String).flatMap(UUID.init(uuidString:))
    }
}

extension ObjectId: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = ObjectId
    public static var _valueType: ValueType { .objectID }
    public static func _makeDefault() -> ObjectId { .generate() }

    @inlinable
    public static func _load(_ node: Node, _ column: Int, _ row: Int) -> ObjectId {
        let bytes = node.fixed12(column, row)
        return ObjectId(
            leading: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            trailing: UInt32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> ObjectId {
        guard case .fixed12(let first, let second) = scalar else { return ObjectId() }
        return ObjectId(leading: first.byteSwapped, trailing: second.byteSwapped)
    }

    @inlinable
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        body(.fixed12(leading.byteSwapped, trailing.byteSwapped))
    }

    /// Converts a string with 24 hexadecimal digits.
    public static func _convertScalar(_ value: Any) -> ObjectId? {
        (value as? String).flatMap { try? ObjectId(string: $0) }
    }
}

extension Decimal128: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Decimal128
    public static var _valueType: ValueType { .decimal128 }
    public static func _makeDefault() -> Decimal128 { Decimal128() }

    @inlinable
    public static func _load(_ node: Node, _ column: Int, _ row: Int) -> Decimal128 {
        let bytes = node.fixed16(column, row)
        return Decimal128(
            StorageEngine.Decimal128(
                low: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                high: UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Decimal128 {
        guard case .fixed16(let low, let high) = scalar else { return Decimal128() }
        return Decimal128(StorageEngine.Decimal128(low: low, high: high))
    }

    @inlinable
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        body(.fixed16(encoding.low, encoding.high))
    }

    /// Converts numbers, and strings that denote a number.
    public static func _convertScalar(_ value: Any) -> Decimal128? {
        switch value {
        case let value as String: Decimal128(text: value)
        case let value as any BinaryInteger: Decimal128(text: value.description)
        default:
            cast(value, to: NSNumber.self).flatMap {
                $0.kind == .bool ? nil : Decimal128(number: $0)
            }
        }
    }
}
