extension MutableNode {
    /// Writes a value that is stored in the node itself. Returns false if it does not fit.
    @inline(__always)
    func set(_ column: Int, _ row: Int, to value: Scalar) -> Bool {
        switch value {
        case .null: return setNull(column, row, to: true)
        case .integer(let v): return setInteger(column, row, to: v)
        case .double(let v): return setDouble(column, row, to: v)
        case .float(let v): return setFloat(column, row, to: v)
        case .bytes(let v): return setBytes(column, row, to: v, isOverflow: false)
        case .fixed16(let a, let b):
            return withUnsafeBytes(of: (a.littleEndian, b.littleEndian)) {
                setFixed16(column, row, to: $0.baseAddress!)
            }
        case .fixed12(let a, let b):
            return withUnsafeBytes(of: (a.littleEndian, b.littleEndian)) {
                setFixed12(column, row, to: $0.baseAddress!)
            }
        }
    }

    /// Writes a value, or the reference to its overflow pages. Returns false if it does not fit.
    @inline(__always)
    func set(_ column: Int, _ row: Int, to value: ClusterTree.StoredValue) -> Bool {
        if case .bytes(let bytes) = value.scalar {
            return setBytes(column, row, to: bytes, isOverflow: value.isOverflow)
        }
        return set(column, row, to: value.scalar)
    }

    /// Places a value in a new last row of a column that is in this node. Returns false, with
    /// nothing changed, if it does not fit the column as it is laid out.
    @inline(__always)
    func place(_ value: Scalar, _ e: ColumnEntry, at row: Int) -> Bool {
        switch value {
        case .null: placeNull(e, row)
        case .integer(let v): place(packed: v, e, at: row)
        case .double(let v):
            place(whole: PackedNumbers.whole(v), image: PackedNumbers.image(v), in: e, at: row)
        case .float(let v):
            place(
                whole: PackedNumbers.whole(Double(v)), image: PackedNumbers.image(v), in: e,
                at: row)
        case .bytes(let v): place(v, e, at: row)
        case .fixed16(let a, let b): placeFixed(a, b, in: e, at: row)
        case .fixed12(let a, let b): placeFixed(a, b, in: e, at: row)
        }
    }
}
