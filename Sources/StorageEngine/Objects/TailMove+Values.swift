/// Moving what the rows of a leaf lead to: long values on runs of their own, and the trees of
/// collections.
extension TailMove {
    /// The contents of a tree's leaves.
    enum TreeContents {
        case objects(Table)
        /// Numbers and short bytes, which lead nowhere.
        case entries(OrderedMap, TreeWriter)
        /// The rows of a long list, set or map of a table's column.
        case rows(RowFormat, Table)

        var format: TreeFormat {
            switch self {
            case .objects: .cluster
            case .entries(let map, _): map.format
            case .rows(let format, _): .collection(hasKeys: format.hasKeys, format.kind)
            }
        }

        var writer: TreeWriter {
            switch self {
            case .objects(let table): table.rows.clusterWriter
            case .entries(_, let writer): writer
            case .rows(_, let table): table.quietWriter
            }
        }
    }

    /// The new bytes of a value whose target has moved. Their length is unchanged.
    struct Patch {
        /// The column's position in the leaf.
        var column: Int
        var row: Int
        var bytes: [UInt8]
        var isOverflow: Bool
    }

    /// A column of a leaf with values that may lead to runs or trees.
    private struct ValueColumn {
        /// The column's position in the leaf.
        var position: Int
        /// The node with the column's rows: the leaf, or the node of a spilled column.
        var node: Node
        var nodeColumn: Int
        /// What the column's values are.
        var holds: Holding
        var table: Table
    }

    private enum Holding {
        case values
        case mixedValues
        case collections(RowFormat)
    }

    private func valueColumns(_ leaf: Node, _ contents: TreeContents) throws(StorageError)
        -> [ValueColumn]
    {
        switch contents {
        case .entries: return []
        case .rows(let format, let table):
            return (0..<leaf.columnCount).filter { leaf.kind($0) == .bytes }.map { column in
                let isValue = column == leaf.columnCount - 1
                return ValueColumn(
                    position: column, node: leaf, nodeColumn: column,
                    holds: isValue && format.type == .mixed ? .mixedValues : .values, table: table)
            }
        case .objects(let table):
            var columns: [ValueColumn] = []
            for column in 0..<table.propertyCount {
                let check = table.checks[column]
                guard check.kind == .bytes,
                    let (node, nodeColumn) = try table.column(column, of: leaf)
                else { continue }
                let holds: Holding =
                    check.isCollection
                    ? .collections(check.format)
                    : check.format.type == .mixed ? .mixedValues : .values
                columns.append(
                    ValueColumn(
                        position: leaf.columnIndex(ofID: table.columnID(column), expected: column),
                        node: node, nodeColumn: nodeColumn, holds: holds, table: table))
            }
            return columns
        }
    }

    /// Moves the runs and trees that the values of a leaf lead to, and returns the values that
    /// change as a result. If `isDone` is false, there is more to do, and `walk.path` says where to
    /// continue.
    mutating func moveValues(
        in leaf: Node, _ contents: TreeContents, from resume: ArraySlice<Int>
    ) throws(StorageError) -> (patches: [Patch], isDone: Bool) {
        var patches: [Patch] = []
        let columns = try valueColumns(leaf, contents)
        let firstColumn = resume.first ?? 0
        for index in columns.indices where index >= firstColumn {
            let column = columns[index]
            let rest = index == firstColumn ? resume.dropFirst() : []
            let firstRow = rest.first ?? 0
            visitedValues += max(0, column.node.rowCount - firstRow)
            // Tested first, because most rows lead nowhere, and a walk passes thousands of them in
            // a commit.
            for row in 0..<column.node.rowCount where row >= firstRow && leads(column, row) {
                if hasMovedEnough {
                    walk.path = [index, row]
                    return (patches, false)
                }
                let inner = row == firstRow ? rest.dropFirst() : []
                let (patch, isDone) = try moveValue(column, row, from: inner)
                if let patch { patches.append(patch) }
                guard isDone else {
                    walk.path.insert(contentsOf: [index, row], at: 0)
                    return (patches, false)
                }
            }
        }
        return (patches, true)
    }

    private mutating func moveValue(
        _ column: ValueColumn, _ row: Int, from resume: ArraySlice<Int>
    ) throws(StorageError) -> (Patch?, isDone: Bool) {
        if column.node.isOverflow(column.nodeColumn, row) {
            return (try moveLongValue(column, row), true)
        }
        let old = column.node.bytes(column.nodeColumn, row)
        var new = Array(old)
        let isDone = try new.withUnsafeMutableBufferPointer { buffer throws(StorageError) in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            switch column.holds {
            case .values: return true
            case .mixedValues:
                return try moveNested(
                    in: UnsafeRawBufferPointer(bytes), column.table, from: resume)
            case .collections(let format):
                return try moveCollection(bytes, format, of: column.table, from: resume)
            }
        }
        if new.elementsEqual(old) { return (nil, isDone) }
        return (
            Patch(column: column.position, row: row, bytes: new, isOverflow: false), isDone
        )
    }

    private func moveLongValue(_ column: ValueColumn, _ row: Int) throws(StorageError) -> Patch? {
        let (reference, length) = column.node.overflowReference(column.nodeColumn, row)
        guard length >= 0, length <= Pager.maximumValueBytes,
            pager.isToMove(reference, pages: pager.overflowPages(length))
        else { return nil }
        let copy = try pager.makeWritable(reference).0
        return withOverflowImage(copy, length) {
            Patch(column: column.position, row: row, bytes: Array($0), isOverflow: true)
        }
    }

    /// Whether a row may lead to a run of its own, or to a tree.
    private func leads(_ column: ValueColumn, _ row: Int) -> Bool {
        if column.node.isOverflow(column.nodeColumn, row) { return true }
        switch column.holds {
        case .values: return false
        case .mixedValues:
            return NestedCollection(column.node.bytes(column.nodeColumn, row)) != nil
        case .collections(let format):
            let bytes = column.node.bytes(column.nodeColumn, row)
            return !bytes.isEmpty && (format.type == .mixed || InlineRows.root(bytes) != nil)
        }
    }

    // MARK: Collections

    /// Moves what a collection reaches. `bytes` is the part stored with its owner. Roots in it are
    /// changed in place, because they all have the same length. Returns false if there is more to
    /// do.
    private mutating func moveCollection(
        _ bytes: UnsafeMutableRawBufferPointer, _ format: RowFormat, of table: Table,
        from resume: ArraySlice<Int>
    ) throws(StorageError) -> Bool {
        guard depth <= NestedCollection.maximumDepth else { throw tooDeep(pager) }
        depth += 1
        defer { depth -= 1 }
        let stored = StoredCollection(
            pager: pager, bytes: UnsafeRawBufferPointer(bytes), format: format)
        if var root = stored.root {
            let isDone = try moveTree(&root, .rows(format, table), from: resume)
            bytes.copyBytes(from: InlineRows.image(of: root))
            return isDone
        }
        guard format.type == .mixed else { return true }
        var isDone = true
        var index = 0
        let first = resume.first ?? 0
        try stored.forEachInline { row, _ throws(StorageError) in
            defer { index += 1 }
            guard index >= first, case .bytes(let value) = row.value else { return true }
            isDone = try moveNested(
                in: value, table, from: index == first ? resume.dropFirst() : [])
            if !isDone { walk.path.insert(index, at: 0) }
            return isDone
        }
        return isDone
    }

    /// Moves what the list or map in a mixed value reaches; does nothing for other values. The
    /// value lies in memory of this walk, which may be changed.
    private mutating func moveNested(
        in value: UnsafeRawBufferPointer, _ table: Table, from resume: ArraySlice<Int>
    ) throws(StorageError) -> Bool {
        guard let nested = NestedCollection(value) else { return true }
        return try moveCollection(
            UnsafeMutableRawBufferPointer(mutating: nested.rows), .nested(nested.kind), of: table,
            from: resume)
    }
}
