extension Connection {
    /// Compares the version that this connection sees with the older version that another
    /// connection sees.
    ///
    /// It takes time proportional to the number of differing pages. In a write transaction, it must
    /// be called before the first change.
    func changes(since older: Connection) throws(StorageError) -> ChangeSet {
        var changes = ChangeSet()
        for number in schema.tables.indices {
            let old = number < older.schema.tables.count ? older.table(number) : nil
            changes.set(
                try TableComparison.changes(from: old, to: table(number)), ofTable: number)
        }
        return changes
    }
}
