/// Objects being grouped by the values of a column.
///
/// Each leaf is read column by column: first the groups of its rows are found, then each further
/// column is added to the summaries of those groups. Nothing is allocated for a row.
struct ObjectGrouping: ~Copyable {
    let table: Table
    let column: Int
    let columns: [Int]
    private(set) var groups: GroupTable

    /// - Throws: `.invalidArgument` if objects cannot be grouped by the column, or if one of
    ///   `columns` is not numeric.
    init(_ table: Table, by column: Int, of columns: [Int]) throws(StorageError) {
        try table.requireGroups(column)
        var empty: [GroupSummary] = []
        for column in columns {
            empty.append(GroupSummary(kind: try table.kindOfNumbers(column)))
        }
        self.table = table
        self.column = column
        self.columns = columns
        groups = GroupTable(by: table.checks[column].kind, of: empty)
    }

    mutating func merge(_ other: borrowing GroupTable) { groups.merge(other) }

    // MARK: Leaves

    /// Adds the objects of the selected rows of a leaf.
    ///
    /// - Throws: `.damaged`.
    mutating func add(_ rows: borrowing RowMask, _ scan: borrowing LeafScan) throws(StorageError) {
        groups.begin(rows: scan.rowCount)
        try findGroups(of: rows, scan)
        groups.count(rows)
        for (position, column) in columns.enumerated() {
            if let (node, place) = try table.column(column, of: scan.leaf) {
                scan.prefetchNextLeaf(node, place)
                groups.add(position, of: rows, in: node, at: place)
            } else {
                let value = table.cluster.columns[column].defaultScalar
                groups.add(position, of: rows, all: value)
            }
        }
    }

    private mutating func findGroups(
        of rows: borrowing RowMask, _ scan: borrowing LeafScan
    ) throws(StorageError) {
        guard let (node, place) = try table.column(column, of: scan.leaf) else {
            return groups.setGroups(of: rows, to: table.cluster.columns[column].defaultScalar)
        }
        scan.prefetchNextLeaf(node, place)
        let kind = table.checks[column].kind
        if kind.isPacked { return groups.findGroups(of: rows, by: node, at: place) }
        try rows.forEachRow { row throws(StorageError) in
            groups.setGroup(of: row, to: try node.scalar(table.pager, kind, in: place, at: row))
        }
    }

    // MARK: Single objects

    /// Adds one object.
    ///
    /// - Throws: `.damaged`.
    mutating func add(_ location: RowLocation) throws(StorageError) {
        let group = groups.addObject(try table.value(column, at: location))
        for (position, column) in columns.enumerated() {
            groups.add(position, of: group, value: try table.value(column, at: location))
        }
    }

    // MARK: The result

    /// The groups in the order of their values.
    func inOrder() -> [ValueGroup] { groups.inOrder() }
}

extension Table {
    /// Whether objects can be grouped by a property of a type: whether equal values have equal
    /// ranks or bytes, and no value refers to an object.
    public static func canGroup(by type: ValueType) -> Bool {
        switch type.traits.order {
        case .integers, .numbers, .bytes: type.traits.reference == .none
        case .decimals, .links, .mixed: false
        }
    }

    fileprivate func requireGroups(_ column: Int) throws(StorageError) {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        let definition = definition.columns[column]
        if definition.collection == .none, Self.canGroup(by: definition.type) { return }
        throw pager.invalidArgument(
            "Objects cannot be grouped by column '\(queryName(of: column))', which is a "
                + "collection, link, decimal or mixed value.")
    }
}
