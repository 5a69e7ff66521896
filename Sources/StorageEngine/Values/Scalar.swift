/// A value as the engine stores it, without its class or name.
///
/// | type | case |
/// | --- | --- |
/// | Bool | `integer`, 0 or 1 |
/// | integers of all widths | `integer` |
/// | Float, Double | `float`, `double` |
/// | Date | `double`: seconds since the reference date |
/// | String | `bytes`, UTF-8 |
/// | Data | `bytes` |
/// | UUID | `fixed16`: bytes 0..<8 and 8..<16, loaded little-endian |
/// | ObjectId | `fixed12`: bytes 0..<8 and 8..<12, loaded little-endian |
/// | Decimal128 | `fixed16`: low and high word of the IEEE 754 encoding; see ``Decimal128`` |
/// | link, embedded object | `integer`: the target's object key |
/// | typed link | `fixed16`: the target's table and object key; see ``TypedLink`` |
/// | mixed | `bytes`, or `null`; see ``MixedValue`` |
///
/// `bytes` that were read from a connection stay valid until its next write, refresh or end of
/// read.
@frozen
public enum Scalar {
    case null
    case integer(Int64)
    case float(Float)
    case double(Double)
    case bytes(UnsafeRawBufferPointer)
    case fixed16(UInt64, UInt64)
    case fixed12(UInt64, UInt32)
}

extension Scalar {
    /// Whether both have the same kind and value. Floating-point numbers are compared by their
    /// bits, so that NaN equals itself.
    public func isIdentical(to other: Scalar) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.bytes(let a), .bytes(let b)): a.count == b.count && a.elementsEqual(b)
        case (.fixed16(let a, let b), .fixed16(let c, let d)): a == c && b == d
        case (.fixed12(let a, let b), .fixed12(let c, let d)): a == c && b == d
        default: false
        }
    }

    @inline(__always)
    func isLonger(than maximumBytes: Int) -> Bool {
        if case .bytes(let bytes) = self { bytes.count > maximumBytes } else { false }
    }

    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
