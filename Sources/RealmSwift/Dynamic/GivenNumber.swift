import Foundation

extension NSNumber {
    /// What an `NSNumber` holds.
    enum Kind {
        case bool, integer, float, double, decimal
    }

    /// By the type that it was made from. Booleans in the output of `JSONSerialization` are told
    /// from numbers.
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

/// Whether a value is a `Bool`, or an `NSNumber` made from one; a cast would take the numbers 0 and
/// 1 for booleans too.
func isBoolean(_ value: Any) -> Bool {
    if value is any BinaryInteger { return false }
    return (value as? NSNumber)?.kind == .bool
}
