import StorageEngine

extension ManagedClass {
    /// Calls `body` with the values of a column of the objects with the given keys, in their order.
    /// Objects that no longer exist are skipped.
    ///
    /// Neighbors in a collection are often in the same leaf, so the previous leaf is tried first.
    func forEachValue(
        _ column: Int, of keys: ContiguousArray<Int64>, _ body: (Scalar) -> Void
    ) throws {
        guard let table else { return }
        var leaf: Node?
        for key in keys {
            let key = ObjectKey(rawValue: key)
            if let leaf, let row = table.row(of: key, in: leaf) {
                body(try table.value(column, at: RowLocation(leaf: leaf, row: row)))
            } else if let location = try table.location(of: key) {
                leaf = location.leaf
                body(try table.value(column, at: location))
            }
        }
    }
}
