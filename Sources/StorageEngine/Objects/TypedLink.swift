/// An object of any table: what typed links and mixed values refer to.
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

    /// The link that a value of a typed-link column stands for; nil for null and other values.
    public init?(_ scalar: Scalar) {
        guard case .fixed16(let table, let key) = scalar, table <= UInt64(Int32.max) else {
            return nil
        }
        self.init(table: Int(table), key: ObjectKey(rawValue: Int64(bitPattern: key)))
    }

    /// The value of a typed-link column.
    public var scalar: Scalar { .fixed16(UInt64(table), UInt64(bitPattern: key.rawValue)) }
}
