/// Object keys of a cluster leaf's rows.
extension Node {
    /// Returns the object key of a row of a cluster leaf.
    func objectKey(_ row: Int) -> ObjectKey {
        let column = keyColumn
        let relative = column < 0 ? Int64(row) : integer(column, row)
        return ObjectKey(rawValue: lowKey &+ relative)
    }

    /// Returns the row of an object in a cluster leaf, or nil if the object is not there.
    @inline(__always)
    func row(of key: ObjectKey) -> Int? {
        let relative = key.rawValue &- lowKey
        let column = keyColumn
        if column < 0 { return relative >= 0 && relative < rowCount ? Int(relative) : nil }
        let row = lowerBound(column, relative, in: 0..<rowCount)
        return row < rowCount && integer(column, row) == relative ? row : nil
    }
}
