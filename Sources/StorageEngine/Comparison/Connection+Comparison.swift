extension Connection {
    /// Compares what this connection sees with an older version that another one sees.
    ///
    /// Costs time in proportion to the pages that differ. In a write transaction only before its
    /// first change.
    func changes(since older: Connection) throws -> ChangeSet {
        var changes = ChangeSet()
        for number in schema.tables.indices {
            let old = number < older.schema.tables.count ? older.table(number) : nil
            changes.set(
                try TableComparison.changes(from: old, to: table(number)), ofTable: number)
        }
        return changes
    }
}
