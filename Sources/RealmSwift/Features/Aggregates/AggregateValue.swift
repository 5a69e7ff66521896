import Foundation
import StorageEngine

extension MixedValue {
    /// Creates a value from a number or date of an unmanaged collection; nil for other values.
    init?(unmanaged value: Any?) {
        switch value {
        case is Bool: return nil
        case let value as any BinaryInteger: self = .int(Int64(truncatingIfNeeded: value))
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
        case let value as Decimal128: self = .decimal128(value.encoding)
        default: return nil
        }
    }

    /// Whether the value is ignored in minima and maxima.
    var isUnordered: Bool { type == nil || isNaN }

    /// The value in the form of dynamic interfaces; nil for links and collections.
    var aggregateResult: Any? { AnyRealmValue(plain: self).flatMap(AnyRealmValue._eraseElement) }
}
