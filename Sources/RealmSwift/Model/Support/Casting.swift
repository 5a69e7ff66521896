import Foundation
import StorageEngine

// Before Swift finds that a value is not of a class, it makes a Foundation object of it: of an
// array or a dictionary one of all that lies in it, by recursion and whatever the class. An
// application's arrays and dictionaries may be nested deeper than the stack takes that. So what it
// gives is cast to classes here only, and described here.

/// A Swift collection that is bridged with all its elements.
private protocol BridgedCollection {}
extension Array: BridgedCollection {}
extension Dictionary: BridgedCollection {}
extension Set: BridgedCollection {}

/// The value as another type. An array, dictionary or set is no instance of a class.
func cast<T>(_ value: Any, to type: T.Type) -> T? {
    if T.self is AnyClass, value is any BridgedCollection { return nil }
    return value as? T
}

/// The value, if its type is exactly the given one. Unlike a cast, this looks for no conversion,
/// and takes a twentieth of the time.
@inline(__always)
func exactly<T>(_ value: Any, _ type: T.Type) -> T? {
    let same: T? = _openExistential(value, do: sameType)
    return same
}

/// The value, if both types are the same. `type(of:)` would not tell, because it looks through an
/// `Any` that is in another one.
private func sameType<Value, T>(_ value: Value) -> T? {
    Value.self == T.self ? unsafeBitCast(value, to: T.self) : nil
}

/// A value as messages show it, if it is not nested so deep that describing it would take the
/// stack.
func described(_ value: Any) -> String {
    nestsTooDeep(value) ? "<Maximum depth exceeded>" : "\(value)"
}

private func nestsTooDeep(_ value: Any) -> Bool {
    var rest: [(value: Any, depth: Int)] = [(value, 1)]
    while let (value, depth) = rest.popLast() {
        guard value is any BridgedCollection else { continue }
        if depth > MixedValue.maximumNesting { return true }
        if let array = value as? [Any] {
            rest += array.map { ($0, depth + 1) }
        } else if let dictionary = value as? [AnyHashable: Any] {
            rest += dictionary.values.map { ($0, depth + 1) }
        }
    }
    return false
}
