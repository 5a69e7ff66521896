import Foundation
import StorageEngine

extension _PersistableScalar {
    @inlinable public static var _mayOverflow: Bool { false }
    public static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool { left == right }
    public static var _shape: _PropertyShape { _PropertyShape(type: _valueType) }
    public static var _elementShape: _PropertyShape { _PropertyShape(type: _valueType) }

    @inlinable @inline(__always)
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        if object._isPlaced {
            let column = object._column(offset)
            let index = Int(column.index)
            let node = object._node
            let row = Int(object._row)
            if node.hasInline(index, column.tag),
                !_mayOverflow || !node.isOverflow(index, row)
            {
                return _load(node, index, at: row)
            }
        }
        return _decodeScalar(object._readSlowly(offset))
    }

    @inlinable @inline(__always)
    public static func _getOptional(_ object: ObjectBase, _ offset: Int) -> Self? {
        if object._isPlaced {
            let column = object._column(offset)
            let index = Int(column.index)
            let node = object._node
            let row = Int(object._row)
            if node.hasInline(index, column.tag) {
                if node.isNull(index, row) { return nil }
                if !_mayOverflow || !node.isOverflow(index, row) {
                    return _load(node, index, at: row)
                }
            }
        }
        let scalar = object._readSlowly(offset)
        if case .null = scalar { return nil }
        return _decodeScalar(scalar)
    }

    @inlinable @inline(__always)
    public static func _set(_ value: Self, _ object: ObjectBase, at offset: Int) {
        value._withScalar { object._write($0, offset) }
    }

    @inlinable @inline(__always)
    public static func _setOptional(_ value: Self?, _ object: ObjectBase, at offset: Int) {
        if let value {
            value._withScalar { object._write($0, offset) }
        } else {
            object._write(.null, offset)
        }
    }

    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        Persisted<Self>.value(at: storage)._scalar(scratch)
    }

    public static func _gatherOptional(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        Persisted<Self?>.value(at: storage)?._scalar(scratch) ?? .null
    }

    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        _convertElement(value, conversion)
    }

    public static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        if let value, let same = exactly(value, Self.self) { return same }
        guard let value = unwrapped(value) else { return nil }
        if let value = (value as? Self) ?? _convertScalar(value) { return value }
        // In a collection with values that cannot be mapped, all values arrive in their stored
        // form.
        return (value as? any _MappedPersistable).flatMap {
            _convertElement($0.erased, conversion)
        }
    }

    public static func _erase(_ value: Self) -> Any? { value }
    public static func _eraseElement(_ value: Self) -> Any? { value }

    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self {
        _decodeScalar(scalar)
    }

    public static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar {
        value._scalar(scratch)
    }

    public static func _convertScalar(_ value: Any) -> Self? { nil }

    public func _scalar(_ scratch: _Scratch) -> Scalar { _withScalar { $0 } }
}

// MARK: Integers

/// An integer type. The schema guarantees that a stored value was written with the same type.
public protocol _PersistableInteger: _PersistableScalar, FixedWidthInteger {}

extension _PersistableInteger {
    public static var _valueType: ValueType { .int }
    public static var _shape: _PropertyShape {
        _PropertyShape(type: .int, integerBits: bitWidth)
    }
    public static var _elementShape: _PropertyShape { _shape }
    public static func _makeDefault() -> Self { 0 }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Self {
        Self(truncatingIfNeeded: node.integer(column, row))
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Self {
        if case .integer(let value) = scalar { return Self(truncatingIfNeeded: value) }
        return 0
    }

    @inlinable @inline(__always)
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        body(.integer(Int64(self)))
    }

    public static func _convertScalar(_ value: Any) -> Self? {
        switch value {
        case is Bool: nil
        case let value as any BinaryInteger: Self(exactly: value)
        case let value as Double: Self(exactly: value)
        case let value as Float: Self(exactly: value)
        default: cast(value, to: NSNumber.self).flatMap { Self(exactly: $0.int64Value) }
        }
    }
}

extension Int: _PersistableInteger {
    /// The type that is stored.
    public typealias PersistedType = Int

    /// Returns the value as an `NSNumber`.
    public static func _readByName(_ object: ObjectBase, _ offset: Int) -> Any? {
        boxedNumber(_get(object, offset))
    }
}
extension Int: MinMaxType, AddableType, SortableType, _Indexable, _PrimaryKey, _QueryNumeric {}
extension Int8: _PersistableInteger {
    /// The type that is stored.
    public typealias PersistedType = Int8
}
extension Int8: MinMaxType, AddableType, SortableType, _Indexable, _PrimaryKey, _QueryNumeric {}
extension Int16: _PersistableInteger {
    /// The type that is stored.
    public typealias PersistedType = Int16
}
extension Int16: MinMaxType, AddableType, SortableType, _Indexable, _PrimaryKey, _QueryNumeric {}
extension Int32: _PersistableInteger {
    /// The type that is stored.
    public typealias PersistedType = Int32
}
extension Int32: MinMaxType, AddableType, SortableType, _Indexable, _PrimaryKey, _QueryNumeric {}
extension Int64: _PersistableInteger {
    /// The type that is stored.
    public typealias PersistedType = Int64
}
extension Int64: MinMaxType, AddableType, SortableType, _Indexable, _PrimaryKey, _QueryNumeric {}

// MARK: Bool and floating point

extension Bool: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Bool
    public static var _valueType: ValueType { .bool }
    public static func _makeDefault() -> Bool { false }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Bool {
        node.integer(column, row) != 0
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Bool {
        if case .integer(let value) = scalar { return value != 0 }
        return false
    }

    @inlinable @inline(__always)
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result {
        body(.integer(self ? 1 : 0))
    }

    public static func _convertScalar(_ value: Any) -> Bool? {
        switch Int._convertScalar(value) {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

extension Bool: SortableType, _Indexable, _PrimaryKey {}

extension Float: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Float
    public static var _valueType: ValueType { .float }
    public static func _makeDefault() -> Float { 0 }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Float {
        node.float(column, row)
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Float {
        if case .float(let value) = scalar { return value }
        return 0
    }

    @inlinable @inline(__always)
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result { body(.float(self)) }

    public static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Float? {
        (value as? Float) ?? Double._convertElement(value, conversion).map(Float.init)
    }
}

extension Float: MinMaxType, AddableType, SortableType, _QueryNumeric {}

extension Double: _PersistableScalar {
    /// The type that is stored.
    public typealias PersistedType = Double
    public static var _valueType: ValueType { .double }
    public static func _makeDefault() -> Double { 0 }

    @inlinable @inline(__always)
    public static func _load(_ node: Node, _ column: Int, at row: Int) -> Double {
        node.double(column, row)
    }

    @inlinable
    public static func _decodeScalar(_ scalar: Scalar) -> Double {
        if case .double(let value) = scalar { return value }
        return 0
    }

    @inlinable @inline(__always)
    public func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result { body(.double(self)) }

    /// Converts numbers of all types, but not Boolean values.
    public static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Double? {
        guard let value = unwrapped(value), !isBoolean(value) else { return nil }
        if let value = value as? any BinaryInteger { return Double(value) }
        return cast(value, to: NSNumber.self)?.doubleValue
    }
}

extension Double: MinMaxType, AddableType, SortableType, _QueryNumeric {}
