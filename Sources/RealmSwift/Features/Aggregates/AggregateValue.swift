import Foundation
import StorageEngine

extension MixedValue {
    /// Creates the value of a column for comparison and addition. Nil for null, links and
    /// collections.
    init?(_ scalar: Scalar, of type: ValueType) {
        switch (type, scalar) {
        case (.mixed, _): self.init(scalar)
        case (.int, .integer(let value)): self = .int(value)
        case (.float, .float(let value)): self = .float(value)
        case (.double, .double(let value)): self = .double(value)
        case (.date, .double(let value)): self = .date(value)
        case (.decimal128, .fixed16(let low, let high)):
            self = .decimal128(StorageEngine.Decimal128(low: low, high: high))
        default: return nil
        }
    }

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
    var isUnordered: Bool {
        switch self {
        case .null, .list, .map: true
        case .float(let value): value.isNaN
        case .double(let value), .date(let value): value.isNaN
        case .decimal128(let value): value.isNaN
        default: false
        }
    }

    /// The value in the form of dynamic interfaces.
    var aggregateResult: Any? {
        switch self {
        case .bool(let value): value
        case .int(let value): Int(value)
        case .float(let value): value
        case .double(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .decimal128(let value): Decimal128(value)
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .data(let bytes): Data(bytes)
        case .uuid(let first, let second): UUID._decodeScalar(.fixed16(first, second))
        case .objectID(let first, let second): ObjectId._decodeScalar(.fixed12(first, second))
        case .null, .link, .list, .map: nil
        }
    }
}
