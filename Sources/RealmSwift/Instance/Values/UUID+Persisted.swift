import Foundation
import StorageEngine

extension UUID: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = UUID
    public static var _valueType: ValueType { .uuid }
    public static func _makeDefault() -> UUID { UUID() }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> UUID {
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

extension UUID: SortableType, _Indexable, _PrimaryKey {}
