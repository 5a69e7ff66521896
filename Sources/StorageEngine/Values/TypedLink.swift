/// An object of any table: the target of a typed link or a mixed value.
@frozen
public struct TypedLink: Hashable, Sendable {
    /// The number of the object's table; see ``Table/number``.
    public var table: Int
    public var key: ObjectKey

    @inlinable
    public init(table: Int, key: ObjectKey) {
        self.table = table
        self.key = key
    }

    /// The link in a value of a typed-link column; nil for null and other values.
    public init?(_ scalar: Scalar) {
        guard case .fixed16(let table, let key) = scalar, table <= UInt64(Int32.max) else {
            return nil
        }
        self.init(table: Int(table), key: ObjectKey(rawValue: Int64(bitPattern: key)))
    }

    /// The link as a value of a typed-link column.
    public var scalar: Scalar { .fixed16(UInt64(table), UInt64(bitPattern: key.rawValue)) }
}
