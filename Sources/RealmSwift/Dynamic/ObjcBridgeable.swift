import Foundation

/// A type whose values dynamic interfaces hand out and take: key-value coding, aggregates whose
/// result type the caller chooses.
///
/// Named as applications know it; there is no Objective-C on this platform.
public protocol _ObjcBridgeable {
    /// The value that a dynamic one stands for; nil if it does not fit.
    static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self?
    /// The value as dynamic interfaces hand it out.
    var _rlmObjcValue: Any { get }
}

extension _ObjcBridgeable {
    /// The value itself, if it is of this type.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? { value as? Self }
    /// The value itself.
    public var _rlmObjcValue: Any { self }
}

extension RealmCollectionValue {
    /// Converts what fits, as setting a property by name does.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        _convertElement(value, .detached)
    }

    /// Numbers as `NSNumber`, nil as `NSNull`.
    public var _rlmObjcValue: Any { boxed(Self._eraseElement(self)) ?? NSNull() }
}

extension Optional: _ObjcBridgeable where Wrapped: _HasPersistedType {
    /// Nil for `NSNull`.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Wrapped?? {
        if value is NSNull { return .some(nil) }
        return Wrapped._rlmFromObjc(value, insideOptional: true).map { .some($0) }
    }

    /// `NSNull` for nil.
    public var _rlmObjcValue: Any { self?._rlmObjcValue ?? NSNull() }
}

extension NSNumber: _HasPersistedType {
    /// The type that is stored.
    public typealias PersistedType = NSNumber

    /// Numbers of all types.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        boxed(value) as? Self
    }
}

extension NSDate: _HasPersistedType {
    /// The type that is stored.
    public typealias PersistedType = NSDate

    /// Dates.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        (value as? Date).flatMap { $0 as NSDate as? Self }
    }
}

/// `value` as dynamic interfaces hand it out: numbers as `NSNumber`, nil as `NSNull`.
public func dynamicBridgeCast<T>(fromSwift value: T) -> Any {
    (value as? any _ObjcBridgeable)?._rlmObjcValue ?? value
}

/// The value of type `T` that a dynamic one stands for. One that does not fit stops the program.
public func dynamicBridgeCast<T>(fromObjectiveC value: Any) -> T {
    if let type = T.self as? any _ObjcBridgeable.Type,
        let converted = type._rlmFromObjc(value, insideOptional: false) as? T
    {
        return converted
    }
    guard let same = value as? T else {
        stop("Could not convert value '\(value)' to type '\(T.self)'.")
    }
    return same
}
