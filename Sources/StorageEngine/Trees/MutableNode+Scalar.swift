extension MutableNode {
    /// Writes any value that is stored in the node itself. False if it does not fit.
    @inline(__always)
    func set(_ column: Int, _ row: Int, _ value: Scalar) -> Bool {
        switch value {
        case .null: return setNull(column, row, true)
        case let .integer(v): return setInteger(column, row, v)
        case let .double(v): return setDouble(column, row, v)
        case let .float(v): return setFloat(column, row, v)
        case let .bytes(v): return setBytes(column, row, v, isOverflow: false)
        case let .fixed16(a, b):
            return withUnsafeBytes(of: (a.littleEndian, b.littleEndian)) {
                setFixed16(column, row, $0.baseAddress!)
            }
        }
    }
}
