/// A stored value that owns its bytes, so that it can be kept.
public enum OwnedScalar: Hashable, Sendable {
    case null
    case integer(Int64)
    case float(Float)
    case double(Double)
    case bytes([UInt8])
    case fixed16(UInt64, UInt64)
    case fixed12(UInt64, UInt32)

    public init(_ scalar: Scalar) {
        switch scalar {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .bytes(let bytes): self = .bytes(Array(bytes))
        case .fixed16(let low, let high): self = .fixed16(low, high)
        case .fixed12(let low, let high): self = .fixed12(low, high)
        }
    }

    /// Calls `body` with the value in the form in which tables take it. Bytes are valid only during
    /// the call.
    public func withScalar<R, E>(_ body: (Scalar) throws(E) -> R) throws(E) -> R {
        switch self {
        case .null: return try body(.null)
        case .integer(let value): return try body(.integer(value))
        case .float(let value): return try body(.float(value))
        case .double(let value): return try body(.double(value))
        case .bytes(let bytes):
            return try bytes.withBytes { bytes throws(E) in try body(.bytes(bytes)) }
        case .fixed16(let low, let high): return try body(.fixed16(low, high))
        case .fixed12(let low, let high): return try body(.fixed12(low, high))
        }
    }
}
