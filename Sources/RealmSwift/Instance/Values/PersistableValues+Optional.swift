import Foundation
import StorageEngine

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    /// The type that is stored.
    public typealias PersistedType = Wrapped.PersistedType?

    /// Compares the wrapped values.
    public static func _isStoredAlike(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
        guard let left, let right else { return true }
        return Wrapped._isStoredAlike(left, right)
    }
}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    public static var _shape: _PropertyShape {
        var shape = Wrapped._shape
        shape.isOptional = true
        return shape
    }

    public static func _makeDefault() -> Wrapped? { nil }

    public static func _makeTraced(_ tracer: _KeyPathTracer) -> Wrapped? {
        Wrapped._makeTracedOptional(tracer)
    }

    @inlinable @inline(__always)
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Wrapped? {
        Wrapped._getOptional(object, offset)
    }

    @inlinable @inline(__always)
    public static func _set(_ value: Wrapped?, _ object: ObjectBase, at offset: Int) {
        Wrapped._setOptional(value, object, at: offset)
    }

    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        Wrapped._gatherOptional(storage, scratch)
    }

    public static func _completeAdd(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        Wrapped._completeAddOptional(storage, addition)
    }

    /// Converts a value. The outer optional is nil if the value does not fit; nil and `NSNull` fit.
    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Wrapped?? {
        guard let value = unwrapped(value) else { return .some(nil) }
        return Wrapped._convert(value, conversion).map { .some($0) }
    }

    public static func _erase(_ value: Wrapped?) -> Any? { value.flatMap(Wrapped._erase) }
    public static var _storedType: any _Persistable.Type { Wrapped._storedOptionalType }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
    public static var _elementShape: _PropertyShape {
        var shape = Wrapped._elementShape
        shape.isOptional = true
        return shape
    }

    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Wrapped? {
        Wrapped._decodeOptional(scalar, source)
    }

    public static func _encode(_ value: Wrapped?, _ scratch: _Scratch) -> Scalar {
        value.map { Wrapped._encode($0, scratch) } ?? .null
    }

    public static func _encodeSought(_ value: Wrapped?, _ scratch: _Scratch) -> Scalar? {
        guard let value else { return .null }
        return Wrapped._encodeSought(value, scratch)
    }

    public static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Wrapped?? {
        .some(Wrapped._makeTracedElement(tracer))
    }

    public static func _store(_ value: Wrapped?, in slot: _ValueSlot) {
        if let value { Wrapped._store(value, in: slot) } else { slot.put(.null) }
    }

    public static func _convertElement(
        _ value: Any?, _ conversion: _ValueConversion
    ) -> Wrapped?? {
        guard let value = unwrapped(value) else { return .some(nil) }
        return Wrapped._convertElement(value, conversion).map { .some($0) }
    }

    public static func _eraseElement(_ value: Wrapped?) -> Any? {
        value.flatMap(Wrapped._eraseElement)
    }

    public static var _storedElementType: any RealmCollectionValue.Type {
        Wrapped._storedOptionalElementType
    }
}

/// Returns `value` without the optionals around it; nil for nil and `NSNull` at any depth.
func unwrapped(_ value: Any?) -> Any? {
    // Metatypes are compared, because a cast to a class would first convert values to Foundation
    // objects.
    guard let value else { return nil }
    let type = type(of: value)
    // Most values have one of these types, and checking a conformance costs more than everything
    // else here.
    if type == Int.self || type == String.self { return value }
    if type == NSNull.self { return nil }
    let mirror = value as? any OptionalValue
    return mirror.map { $0.wrappedValue.flatMap { unwrapped($0) } } ?? value
}

private protocol OptionalValue { var wrappedValue: Any? { get } }
extension Optional: OptionalValue { fileprivate var wrappedValue: Any? { map { $0 } } }
