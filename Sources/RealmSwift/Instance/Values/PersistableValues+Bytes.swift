import Foundation
import StorageEngine

extension String: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = String
    public static var _valueType: ValueType { .string }
    @inlinable public static var _mayOverflow: Bool { true }
    public static func _makeDefault() -> String { "" }

    /// Compares the bytes.
    public static func _isStoredAlike(_ left: String, _ right: String) -> Bool {
        left.hasSameBytes(as: right)
    }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> String {
        node.prefetchBytes(behind: column, row)
        return ShortText.string(ofRow: node.bytes(column, row))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> String {
        if case .bytes(let bytes) = scalar { return String(decoding: bytes, as: UTF8.self) }
        return ""
    }

    @inlinable
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(.bytes(UnsafeRawBufferPointer($0))) }
    }

    public func _scalar(_ scratch: _Scratch) -> Scalar {
        var copy = self
        return copy.withUTF8 { .bytes(scratch.copy(UnsafeRawBufferPointer($0))) }
    }
}

extension String: SortableType, _Indexable, _PrimaryKey, _QueryString {}

extension Data: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Data
    public static var _valueType: ValueType { .data }
    @inlinable public static var _mayOverflow: Bool { true }
    public static func _makeDefault() -> Data { Data() }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Data {
        node.prefetchBytes(behind: column, row)
        let bytes = node.bytes(column, row)
        return Data(bytes: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count)
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Data {
        if case .bytes(let bytes) = scalar { return Data(bytes) }
        return Data()
    }

    @inlinable
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        withUnsafeBytes { body(.bytes($0)) }
    }

    public func _scalar(_ scratch: _Scratch) -> Scalar {
        withUnsafeBytes { .bytes(scratch.copy($0)) }
    }
}

extension Data: SortableType, _QueryBinary {}

/// Dates are stored as seconds since the reference date, so every `Date` is preserved exactly.
extension Date: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Date
    public static var _valueType: ValueType { .date }
    public static func _makeDefault() -> Date { Date() }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: node.double(column, row))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Date {
        if case .double(let seconds) = scalar {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return Date(timeIntervalSinceReferenceDate: 0)
    }

    @inlinable @inline(__always)
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        body(.double(timeIntervalSinceReferenceDate))
    }
}

extension Date: MinMaxType, SortableType, _Indexable, _QueryNumeric {}
