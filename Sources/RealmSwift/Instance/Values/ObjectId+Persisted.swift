import StorageEngine

extension ObjectId: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = ObjectId
    public static var _valueType: ValueType { .objectID }
    public static func _makeDefault() -> ObjectId { .generate() }

    @inlinable
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> ObjectId {
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

extension ObjectId: SortableType, _Indexable, _PrimaryKey {}
