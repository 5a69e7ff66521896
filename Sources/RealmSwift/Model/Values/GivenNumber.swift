import Foundation

extension NSNumber {
    /// The kind of number that an `NSNumber` holds.
    enum Kind {
        case bool, integer, float, double, decimal
    }

    /// The kind of the number, determined by the type from which it was made. It distinguishes
    /// Boolean values from numbers in the output of `JSONSerialization`.
    var kind: Kind {
        if self is NSDecimalNumber { return .decimal }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): return .bool
        case UInt8(ascii: "f"): return .float
        case UInt8(ascii: "d"): return .double
        default: return .integer
        }
    }
}

/// Returns whether a value is a `Bool`, or an `NSNumber` made from one. A cast would also accept
/// the numbers 0 and 1.
func isBoolean(_ value: Any) -> Bool {
    if value is any BinaryInteger { return false }
    return cast(value, to: NSNumber.self)?.kind == .bool
}
