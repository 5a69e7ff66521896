/// A value as the engine stores it, without its class or name.
///
/// Which case holds the values of a type is said at ``ValueType``.
///
/// `bytes` that were read from a connection stay valid until its next write, refresh or end of
/// read. In a transaction that has deleted objects, bytes of a row also stay valid only until
/// objects are next found in another way than by their keys, since that removes the rows of the
/// deleted ones.
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
