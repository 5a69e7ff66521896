import Foundation

/// A type whose values dynamic interfaces accept and return. Such interfaces are key-value coding,
/// and aggregates whose result type the caller chooses.
///
/// The name is part of the API; there is no Objective-C on this platform.
public protocol _ObjcBridgeable {
    /// Returns the value for a dynamic value; nil if it does not fit.
    static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self?
    /// The value in the form of dynamic interfaces.
    var _rlmObjcValue: Any { get }
}

extension _ObjcBridgeable {
    /// Returns the value itself if it has this type; otherwise nil.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? { value as? Self }
    /// The value itself.
    public var _rlmObjcValue: Any { self }
}

extension Optional: _ObjcBridgeable where Wrapped: _HasPersistedType {
    /// Converts a value; `NSNull` gives nil.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Wrapped?? {
        if cast(value, to: NSNull.self) != nil { return .some(nil) }
        return Wrapped._rlmFromObjc(value, insideOptional: true).map { .some($0) }
    }

    /// The wrapped value; `NSNull` for nil.
    public var _rlmObjcValue: Any { self?._rlmObjcValue ?? NSNull() }
}

extension NSNumber: _HasPersistedType {
    /// The type that is stored.
    public typealias PersistedType = NSNumber

    /// Converts numbers of all types.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        boxed(value).flatMap { cast($0, to: Self.self) }
    }
}

extension NSDate: _HasPersistedType {
    /// The type that is stored.
    public typealias PersistedType = NSDate

    /// Converts dates.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        (value as? Date).flatMap { $0 as NSDate as? Self }
    }
}

/// Returns `value` in the form of dynamic interfaces: numbers as `NSNumber`, and nil as `NSNull`.
public func dynamicBridgeCast<T>(fromSwift value: T) -> Any {
    (value as? any _ObjcBridgeable)?._rlmObjcValue ?? value
}

/// Returns the value of type `T` for a dynamic value.
///
/// - Precondition: The value can be converted to `T`.
public func dynamicBridgeCast<T>(fromObjectiveC value: Any) -> T {
    if let type = T.self as? any _ObjcBridgeable.Type,
        let converted = type._rlmFromObjc(value, insideOptional: false) as? T
    {
        return converted
    }
    guard let same = value as? T else {
        stop("Could not convert value '\(described(value))' to type '\(T.self)'.")
    }
    return same
}

/// Returns a number or Boolean value as an `NSNumber`, which can be cast to every numeric type that
/// represents the value; other values unchanged.
func boxed(_ value: Any?) -> Any? {
    guard let value else { return nil }
    // Most values have one of these types.
    let type = type(of: value)
    if type == String.self || type == Data.self || type == Date.self { return value }
    if let number = exactly(value, Int.self) { return boxedNumber(number) }
    if let number = exactly(value, Bool.self) { return NSNumber(value: number) }
    if let number = exactly(value, Double.self) { return NSNumber(value: number) }
    return boxedByCasting(value)
}

/// Returns a number as an `NSNumber`.
func boxedNumber(_ value: Int) -> NSNumber {
    SmallNumbers.range.contains(value) ? SmallNumbers.boxed[value] : NSNumber(value: value)
}

/// The numbers that are most usual, such as counts and ages. Making one takes longer than reading
/// the property.
private enum SmallNumbers {
    static let range = 0..<256
    static let boxed = range.map { NSNumber(value: $0) }
}

private func boxedByCasting(_ value: Any?) -> Any? {
    switch value {
    case let value as Bool: NSNumber(value: value)
    case let value as Int: NSNumber(value: value)
    case let value as Int8: NSNumber(value: value)
    case let value as Int16: NSNumber(value: value)
    case let value as Int32: NSNumber(value: value)
    case let value as Int64: NSNumber(value: value)
    case let value as Float: NSNumber(value: value)
    case let value as Double: NSNumber(value: value)
    default: value
    }
}
