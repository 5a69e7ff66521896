/// The values of one property in one leaf.
struct LeafValues {
    // Safe because readers of values hold the table. Counting a reference costs more than reading a
    // value.
    private unowned(unsafe) let pager: Pager
    private let kind: ColumnKind
    private let place: (node: Node, column: Int)?
    private let defaultValue: Scalar

    init(_ table: Table, _ column: Int, in leaf: Node) throws(StorageError) {
        pager = table.pager
        kind = table.checks[column].kind
        place = try table.column(column, of: leaf)
        defaultValue = table.cluster.columns[column].defaultScalar
    }

    subscript(row: Int) -> Scalar {
        get throws(StorageError) {
            guard let (node, column) = place else { return defaultValue }
            return try node.scalar(pager, kind, in: column, at: row)
        }
    }
}
