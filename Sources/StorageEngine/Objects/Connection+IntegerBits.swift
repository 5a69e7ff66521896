/// The width of the integers that the object layer stores, which the schema records.
extension Connection {
    /// Records the width of a property, inside a write transaction.
    public func setIntegerBits(_ bits: Int, _ column: Int, of table: Table) throws(StorageError) {
        try requireWriteTransaction()
        precondition(column >= 0 && column < table.propertyCount, "column out of range")
        let index = table.number
        try changeSchema { $0.setIntegerBits(bits, column, ofTable: index) }
    }
}

extension Table {
    /// Whether all integers of a property, or of its collections, fit a number of bits. For files
    /// that do not record it. Reads all objects.
    public func integersFit(_ bits: Int, in column: Int) throws(StorageError) -> Bool {
        let limits = (Int64.min >> (64 - bits))...(Int64.max >> (64 - bits))
        var fit = true
        try forEachLeaf(keepsLeaves: false) { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount where fit {
                let value = try self.value(column, at: RowLocation(leaf: leaf, row: row))
                if case .integer(let number) = value, !limits.contains(number) { fit = false }
                guard case .bytes(let bytes) = value else { continue }
                let stored = StoredCollection(
                    pager: pager, bytes: bytes, format: checks[column].format)
                try stored.forEachValue { element in
                    if case .integer(let number) = element, !limits.contains(number) {
                        fit = false
                    }
                    return fit
                }
            }
            return fit
        }
        return fit
    }
}
