/// Changing rows. A leaf that has no room for a change first moves its largest column to a node of
/// its own ("spills" it), so that leaves keep at least `minimumRows` rows however wide the table
/// is, and scans of one column stay away from the others; a leaf with more rows is split.
extension ClusterTree {
    /// A leaf with fewer rows than this spills columns rather than split.
    static let minimumRows = 256
    /// A spilled column grows to so many pages before its leaf is split all the same, which
    /// bounds what a change of one value writes.
    static let maximumSpillPages = 4
    /// Leaves of tables with few narrow columns end here.
    static let maximumRows = 8192

    /// A value to store: overflow values are already on pages of their own, `bytes` is the
    /// reference then.
    struct StoredValue {
        var scalar: Scalar
        var isOverflow = false
    }

    /// Pages of a new leaf: more than one only if the directory alone would fill most of it.
    func leafPages(_ pageSize: Int) -> Int {
        let directory = PageHeader.size + 8 + (columns.count + 1) * 40 + columns.count * 16
        return (directory + pageSize * 3 / 4 - 1) / (pageSize * 3 / 4)
    }

    /// What became of an attempt to change a leaf.
    enum Outcome {
        case done
        /// The leaf itself has no room.
        case leafFull
        /// A spilled column has reached its limit: spilling more would not help.
        case columnFull
    }

    // MARK: Append

    /// Appends a row. `key` must be above all keys in the tree. `values` come in stored-column
    /// order; those missing at the end are defaults.
    @inline(__always)
    func append(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey,
        _ values: UnsafeBufferPointer<StoredValue>
    ) throws {
        if writer.hasPath(to: treeID), isLastLeaf(writer),
            tryAppend(writer, key, values)
        {
            writer.addToCounts(&root, 1)
            return
        }
        try appendSlowly(writer, &root, key, values)
    }

    @inline(never)
    private func appendSlowly(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey,
        _ values: UnsafeBufferPointer<StoredValue>
    ) throws {
        if root.reference.isNone {
            root.reference = try newLeaf(writer, lowKey: key).0
        }
        while true {
            _ = try writer.descend(&root, .cluster) { $0.rowCount - 1 }
            if tryAppend(writer, key, values) {
                writer.addToCounts(&root, 1)
                writer.keepPath(to: treeID)
                return
            }
            let outcome = try appendThroughSpills(writer, &root, key, values)
            if outcome == .done { return }
            try makeRoomForAppend(writer, &root, key, values, outcome)
        }
    }

    private func isLastLeaf(_ writer: TreeWriter) -> Bool {
        for level in 0..<writer.depth - 1 {
            let step = writer.steps[level]
            if step.index != step.node.reading.rowCount - 1 { return false }
        }
        return true
    }

    /// Appends in place; false, with nothing changed, if that needs another layout of the tree.
    @inline(__always)
    private func tryAppend(
        _ writer: TreeWriter, _ key: ObjectKey, _ values: UnsafeBufferPointer<StoredValue>
    ) -> Bool {
        let leaf = writer.leaf
        let row = leaf.reading.rowCount
        guard row < Self.maximumRows, isPlain(leaf.reading), leaf.insertPlaceholderRow(at: row)
        else { return false }
        if setKey(leaf, row, key) {
            var column = 0
            while column < values.count, set(leaf, column, row, values[column]) { column += 1 }
            if column == values.count, setDefaults(leaf, row, from: values.count) { return true }
        }
        leaf.removeRow(at: row)
        return false
    }

    private func setDefaults(_ leaf: MutableNode, _ row: Int, from column: Int) -> Bool {
        for column in column..<columns.count {
            let value = StoredValue(scalar: columns[column].defaultScalar)
            if !set(leaf, column, row, value) { return false }
        }
        return true
    }

    /// Whether the leaf has all stored columns, at their positions, none of them spilled.
    @inline(__always)
    private func isPlain(_ leaf: Node) -> Bool {
        for column in columns.indices where !leaf.hasInline(column, id: columns[column].id) {
            return false
        }
        return true
    }

    /// A key that continues a dense leaf needs nothing; otherwise the key column.
    private func setKey(_ leaf: MutableNode, _ row: Int, _ key: ObjectKey) -> Bool {
        let view = leaf.reading
        let relative = key.rawValue - view.lowKey
        let column = view.keyColumn
        if column >= 0 { return leaf.setInteger(column, row, relative) }
        if relative == Int64(row) { return true }
        if row == 0 {
            leaf.setLowKey(key.rawValue)
            return true
        }
        guard addKeyColumn(leaf) else { return false }
        return leaf.setInteger(leaf.reading.keyColumn, row, relative)
    }

    /// Gives a dense leaf the key column it needs once keys have gaps. False if there is no room.
    private func addKeyColumn(_ leaf: MutableNode) -> Bool {
        let position = leaf.reading.columnCount
        guard leaf.addColumn(ColumnFormat(id: Node.keyColumnID, kind: .integer), at: position)
        else { return false }
        for row in 0..<leaf.reading.rowCount where !leaf.setInteger(position, row, Int64(row)) {
            leaf.removeColumn(position)
            return false
        }
        return true
    }

    @inline(__always)
    private func set(_ leaf: MutableNode, _ column: Int, _ row: Int, _ value: StoredValue) -> Bool {
        if case .bytes(let bytes) = value.scalar {
            return leaf.setBytes(column, row, bytes, isOverflow: value.isOverflow)
        }
        return leaf.set(column, row, value.scalar)
    }

    /// Appends to a leaf with spilled columns, or of an older column set.
    private func appendThroughSpills(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey,
        _ values: UnsafeBufferPointer<StoredValue>
    ) throws -> Outcome {
        let row = writer.leaf.reading.rowCount
        guard row < Self.maximumRows, !isPlain(writer.leaf.reading) else { return .leafFull }
        var outcome = try insertRow(writer, at: row)
        if outcome != .done { return outcome }
        if !setKey(writer.leaf, row, key) { outcome = .leafFull }
        for column in columns.indices where outcome == .done {
            let value =
                column < values.count
                ? values[column] : StoredValue(scalar: columns[column].defaultScalar)
            outcome = try setThroughSpill(writer, column, row, value)
        }
        if outcome == .done {
            writer.addToCounts(&root, 1)
        } else {
            try removeRow(writer, at: row)
        }
        return outcome
    }

    private func newLeaf(_ writer: TreeWriter, lowKey: ObjectKey, like model: Node? = nil) throws
        -> (PageReference, MutableNode)
    {
        try writer.makeNode(
            level: 0, treeID: treeID,
            columns: columns.map(\.format),
            lowKey: lowKey.rawValue, pages: leafPages(writer.pager.pageSize), model: model)
    }

    /// Spills, or starts a new leaf on the right. The path is void afterwards.
    private func makeRoomForAppend(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey,
        _ values: UnsafeBufferPointer<StoredValue>, _ outcome: Outcome
    ) throws {
        let rows = writer.leaf.reading.rowCount
        if rows == 0 { return try spillLargest(of: values, writer) }
        if rows < Self.minimumRows, outcome == .leafFull, try spillLargestColumn(writer) { return }
        let (reference, leaf) = try newLeaf(
            writer, lowKey: key, like: writer.leaf.reading)
        try writer.insertSibling(
            &root, .cluster, after: writer.depth - 1, reference, leaf, separator: .key(key))
        writer.dropPath()
    }

    // MARK: Set

    /// Sets one value of an existing object.
    func set(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey, _ column: Int,
        _ value: StoredValue
    ) throws {
        if writer.hasPath(to: treeID), let row = writer.leaf.reading.row(of: key),
            writer.leaf.reading.hasInline(column, id: columns[column].id),
            set(writer.leaf, column, row, value)
        {
            return
        }
        if root.reference.isNone { throw writer.pager.noSuchObject(key) }
        while true {
            let leaf = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
            guard let row = leaf.reading.row(of: key) else { throw writer.pager.noSuchObject(key) }
            let outcome = try setThroughSpill(writer, column, row, value)
            if outcome == .done {
                writer.keepPath(to: treeID)
                return
            }
            try makeRoom(writer, &root, outcome)
        }
    }

    /// Sets a value wherever its column is: in the leaf, spilled, or not there yet.
    private func setThroughSpill(
        _ writer: TreeWriter, _ column: Int, _ row: Int, _ value: StoredValue
    ) throws -> Outcome {
        let leaf = writer.leaf
        guard let position = addColumnIfMissing(leaf, column) else { return .leafFull }
        if !leaf.reading.isSpilled(position) {
            return set(leaf, position, row, value) ? .done : .leafFull
        }
        let isSet = try changeSpill(writer, position) { set($0, 0, row, value) }
        return isSet ? .done : .columnFull
    }

    /// Position of a stored column in the leaf, which gets it with defaults if it is older than the
    /// column.
    private func addColumnIfMissing(_ leaf: MutableNode, _ column: Int) -> Int? {
        let definition = columns[column]
        let position = leaf.reading.columnIndex(ofID: definition.id, expected: column)
        if position >= 0 { return position }
        let end = leaf.reading.keyColumn < 0 ? leaf.reading.columnCount : leaf.reading.keyColumn
        guard leaf.addColumn(definition.format, at: end) else {
            return nil
        }
        if definition.defaultScalar.isNull {
            for row in 0..<leaf.reading.rowCount where !leaf.setNull(end, row, true) {
                leaf.removeColumn(end)
                return nil
            }
        }
        return end
    }

    /// Changes the node of a spilled column, which grows page by page. False if it may not grow
    /// further.
    private func changeSpill(
        _ writer: TreeWriter, _ position: Int, _ change: (MutableNode) -> Bool
    ) throws -> Bool {
        let leaf = writer.leaf
        let old = leaf.reading.spillReference(position)
        var (reference, node) = try writer.writable(old)
        if reference != old { leaf.setSpillReference(position, reference) }
        while !change(node) {
            let pages = node.reading.pageCount
            // A single value may need more than the limit; more rows may not.
            guard pages < Self.maximumSpillPages || node.reading.rowCount <= 1 else { return false }
            let (larger, buffer) = try writer.pager.allocate(pages: pages + 1, kind: .node)
            let target = MutableNode(
                buffer, byteCount: (pages + 1) * writer.pager.pageSize)
            precondition(node.moveContents(to: target), "a column does not fit a larger node")
            try writer.pager.free(reference)
            reference = larger
            node = target
            leaf.setSpillReference(position, reference)
        }
        leaf.updateSpillZone(position, from: node.reading)
        writer.rowsMoved()
        return true
    }

    // MARK: Room

    private func makeRoom(
        _ writer: TreeWriter, _ root: inout TreeRoot, _ outcome: Outcome
    ) throws {
        let rows = writer.leaf.reading.rowCount
        if rows < Self.minimumRows, outcome == .leafFull, try spillLargestColumn(writer) { return }
        precondition(rows > 1, "one row does not fit a leaf")
        try split(writer, &root, at: rows / 2)
    }

    /// For a first row that is wider than a leaf: its largest value gets a node of its own.
    private func spillLargest(
        of values: UnsafeBufferPointer<StoredValue>, _ writer: TreeWriter
    ) throws {
        let leaf = writer.leaf.reading
        var largest = -1
        var size = -1
        for column in 0..<min(columns.count, leaf.columnCount) where !leaf.isSpilled(column) {
            var bytes = 16
            if column < values.count, case .bytes(let value) = values[column].scalar {
                bytes += value.count
            }
            if bytes > size {
                largest = column
                size = bytes
            }
        }
        precondition(largest >= 0, "a leaf of spilled columns has no room for one row")
        _ = try spill(writer, largest)
    }

    /// Moves the largest column of the leaf at the end of the path into a node of its own. False if
    /// none is worth it.
    private func spillLargestColumn(_ writer: TreeWriter) throws -> Bool {
        let leaf = writer.leaf
        var largest = -1
        var bytes = 0
        for column in 0..<leaf.reading.columnCount where !leaf.reading.isSpilled(column) {
            let size = leaf.bytesOfColumn(column)
            if size > bytes, column != leaf.reading.keyColumn {
                largest = column
                bytes = size
            }
        }
        // Below this a column page would be mostly empty, and the leaf would gain next to nothing.
        // A single row has no other way to get room.
        guard largest >= 0, bytes >= 64 || leaf.reading.rowCount <= 1 else { return false }
        return try spill(writer, largest)
    }

    /// Moves a column of the leaf at the end of the path into a node of its own. False if it does
    /// not fit one.
    private func spill(_ writer: TreeWriter, _ column: Int) throws -> Bool {
        let leaf = writer.leaf
        let view = leaf.reading
        let bytes = leaf.bytesOfColumn(column)
        let format = ColumnFormat(
            id: view.format(column).id, kind: view.kind(column))
        let pages = (bytes + 256 + writer.pager.pageSize) / writer.pager.pageSize
        let (reference, node) = try writer.makeNode(
            level: 0, treeID: treeID, columns: [format], lowKey: view.lowKey, pages: pages)
        guard leaf.copyColumn(column, to: node) else {
            try writer.pager.free(reference)
            return false
        }
        leaf.markSpilled(column, reference)
        leaf.updateSpillZone(column, from: node.reading)
        writer.rowsMoved()
        return true
    }

    /// Splits the leaf at the end of the path before row `cut`. The path is void afterwards.
    private func split(_ writer: TreeWriter, _ root: inout TreeRoot, at cut: Int) throws {
        let left = writer.leaf
        let rows = left.reading.rowCount
        let key = left.reading.objectKey(cut)
        let isDense = left.reading.keyColumn < 0
        let (reference, right) = try writer.duplicate(left)
        for column in 0..<left.reading.columnCount where left.reading.isSpilled(column) {
            let old = left.reading.spillReference(column)
            let (leftReference, leftNode) = try writer.writable(old)
            left.setSpillReference(column, leftReference)
            let (rightReference, rightNode) = try writer.duplicate(leftNode)
            leftNode.removeRows(cut..<rows)
            rightNode.removeRows(0..<cut)
            right.setSpillReference(column, rightReference)
        }
        right.removeRows(0..<cut)
        if isDense { right.setLowKey(key.rawValue) }
        try writer.insertSibling(
            &root, .cluster, after: writer.depth - 1, reference, right, separator: .key(key))
        left.removeRows(cut..<rows)
        writer.dropPath()
    }

    // MARK: Rows

    /// Inserts an empty row in the leaf at the end of the path and in its spilled columns.
    private func insertRow(_ writer: TreeWriter, at row: Int) throws -> Outcome {
        let leaf = writer.leaf
        guard leaf.insertPlaceholderRow(at: row) else { return .leafFull }
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            if try changeSpill(writer, column, { $0.insertPlaceholderRow(at: row) }) { continue }
            for undone in 0..<column where leaf.reading.isSpilled(undone) {
                _ = try changeSpill(writer, undone) {
                    $0.removeRow(at: row)
                    return true
                }
            }
            leaf.removeRow(at: row)
            return .columnFull
        }
        return .done
    }

    private func removeRow(_ writer: TreeWriter, at row: Int) throws {
        let leaf = writer.leaf
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            _ = try changeSpill(writer, column) {
                $0.removeRow(at: row)
                return true
            }
        }
        leaf.removeRow(at: row)
        writer.rowsMoved()
    }

    /// Removes an object's row. What its values own (overflow pages, lists) must be freed before.
    func remove(_ writer: TreeWriter, _ root: inout TreeRoot, _ key: ObjectKey) throws {
        while true {
            let leaf = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
            guard let row = leaf.reading.row(of: key) else { throw writer.pager.noSuchObject(key) }
            guard keepKeys(leaf, whenRemoving: row) else {
                try makeRoom(writer, &root, .leafFull)
                continue
            }
            try removeRow(writer, at: row)
            writer.addToCounts(&root, -1)
            if leaf.reading.rowCount == 0 {
                for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
                    try writer.pager.free(leaf.reading.spillReference(column))
                }
                try writer.removeLeaf(&root)
            }
            return
        }
    }

    /// Prepares a dense leaf for losing a row: at its ends it stays dense, else it gets a key
    /// column.
    private func keepKeys(_ leaf: MutableNode, whenRemoving row: Int) -> Bool {
        let view = leaf.reading
        if view.keyColumn >= 0 || row == view.rowCount - 1 { return true }
        if row == 0 {
            leaf.setLowKey(view.lowKey + 1)
            return true
        }
        return addKeyColumn(leaf)
    }
}
