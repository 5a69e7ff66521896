import Foundation
import StorageEngine

extension Decimal128: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Decimal128
    public static var _valueType: ValueType { .decimal128 }
    public static func _makeDefault() -> Decimal128 { Decimal128() }

    @inlinable
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Decimal128 {
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

extension Decimal128: MinMaxType, AddableType, SortableType, _QueryNumeric {}
