/// A list, set or map in its place: a column of an object, or a mixed value inside such a column.
///
/// It implements what lists, sets and maps share: finding the bytes, changing rows, and writing
/// back the part that is stored in the owner's row. Cheap to make, without state of its own.
struct CollectionHandle {
    let table: Table
    let column: Int
    let owner: ObjectKey
    let format: RowFormat
    /// The path from the column to this collection; empty if the column itself holds it.
    let path: [CollectionStep]
}

/// One step on the path from a column to a collection nested in it.
struct CollectionStep {
    let identity: CollectionIdentity
    let kind: CollectionKind
    /// The position of the collection in its parent when the handle was made.
    let position: Int
}

extension CollectionHandle {
    var pager: Pager { table.pager }

    private var tree: CollectionTree {
        CollectionTree(
            hasKeys: format.hasKeys, kind: format.kind, treeID: table.cluster.treeID)
    }

    /// The writer for changes at a position.
    @inline(__always)
    private func writer(at position: Int, in root: TreeRoot) -> TreeWriter {
        table.collectionWriters.writer(of: owner, at: position, in: root)
    }

    // MARK: Place

    /// The collection as it is stored now.
    ///
    /// - Throws: `.invalidArgument` if the owner or the nested collection no longer exists.
    @inline(__always)
    func stored() throws(StorageError) -> StoredCollection {
        if path.isEmpty, let bytes = try table.inlineBytes(column, of: owner) {
            return StoredCollection(pager: pager, bytes: bytes, format: format)
        }
        return try storedElsewhere()
    }

    @inline(never)
    private func storedElsewhere() throws(StorageError) -> StoredCollection {
        let value = try table.value(column, of: owner)
        if path.isEmpty { return try collection(value) }
        return try nested(value)
    }

    /// The value at a position; nil if the position is out of range.
    func value(ifAt index: Int) throws(StorageError) -> Scalar? {
        let stored = try stored()
        // The path of a change at this end may lead to the value already.
        if pager.isInWriteTransaction, let root = stored.root, index >= 0, index < root.count,
            let writer = table.collectionWriters.existingWriter(of: owner, at: index, in: root),
            let row = writer.knownRow(at: index, in: root, of: tree), row < writer.leaf.rowCount
        {
            return try writer.leaf.reading.scalar(pager, format.kind, in: tree.valueColumn, at: row)
        }
        return try stored.value(ifAt: index)
    }

    private func collection(_ value: Scalar) throws(StorageError) -> StoredCollection {
        guard case .bytes(let bytes) = value else {
            throw pager.damaged(0, "a collection that is not stored as one")
        }
        return StoredCollection(pager: pager, bytes: bytes, format: table.checks[column].format)
    }

    /// Follows the path from the column's value.
    private func nested(_ value: Scalar) throws(StorageError) -> StoredCollection {
        var value = value
        var current: StoredCollection?
        if table.checks[column].isCollection { current = try collection(value) }
        for step in path {
            if let parent = current {
                guard let position = try parent.position(of: step) else { throw collectionIsGone }
                value = try parent.value(at: position)
            }
            guard let nested = NestedCollection(value), nested.identity == step.identity else {
                throw collectionIsGone
            }
            current = StoredCollection(
                pager: pager, bytes: nested.rows, format: .nested(nested.kind))
        }
        return current!
    }

    private var collectionIsGone: StorageError {
        pager.invalidArgument(
            "The list or map inside \(table.name(of: column)) has been removed or replaced.")
    }

    /// The collection that contains this one; nil if the column's value does.
    private var parent: CollectionHandle? {
        guard path.count > 1 || table.checks[column].isCollection else { return nil }
        return CollectionHandle(
            table: table, column: column, owner: owner,
            format: path.count > 1
                ? .nested(path[path.count - 2].kind) : table.checks[column].format,
            path: Array(path.dropLast()))
    }

    /// The list or map at a position; nil if the value there is something else.
    func child(at position: Int) throws(StorageError) -> CollectionHandle? {
        guard format.type == .mixed,
            let nested = NestedCollection(try stored().value(at: position))
        else { return nil }
        guard path.count < NestedCollection.maximumDepth else { throw tooDeep(pager) }
        return CollectionHandle(
            table: table, column: column, owner: owner, format: .nested(nested.kind),
            path: path + [nested.step(at: position)])
    }

    /// Whether both handles lead to the same collection, whatever its position was when they were
    /// made.
    func isSame(as other: CollectionHandle) -> Bool {
        table === other.table && owner == other.owner && column == other.column
            && path.last?.identity == other.path.last?.identity
    }

    /// Writes the part of the collection that is stored in the owner's row, or in the mixed value.
    func store(_ rows: [UInt8]) throws(StorageError) {
        try rows.withBytes { rows throws(StorageError) in try store(rows) }
    }

    /// Writes the root of a collection that is stored in a tree.
    private func store(_ root: TreeRoot) throws(StorageError) {
        try InlineRows.withImage(of: root) { image throws(StorageError) in try store(image) }
    }

    private func store(_ rows: UnsafeRawBufferPointer) throws(StorageError) {
        guard let step = path.last else { return try table.store(bytes: rows, column, of: owner) }
        let image = NestedCollection.image(step.kind, step.identity, of: Array(rows))
        guard let parent else {
            try image.withBytes { bytes throws(StorageError) in
                try table.store(bytes: bytes, column, of: owner)
            }
            return try table.recordModification(column, of: owner)
        }
        guard let position = try parent.stored().position(of: step) else { throw collectionIsGone }
        try image.withBytes { bytes throws(StorageError) in
            try parent.setRow(at: position, to: .bytes(bytes))
        }
    }

    // MARK: Rows

    /// Inserts a row into the collection as it is stored now. The caller updates backlinks. Short
    /// bytes must not lie in this collection.
    func insertRow(_ row: CollectionRow, at index: Int, in stored: StoredCollection)
        throws(StorageError)
    {
        try putRow(row, at: index, in: stored)
        try record(countDifference: 1) { $0.insert(at: index) }
    }

    /// Replaces the value of a row. The caller updates the backlinks of both values.
    func setRow(at index: Int, to value: Scalar) throws(StorageError) {
        try replaceRow(at: index, by: value)
        try record { $0.set(at: index) }
    }

    /// Removes a row. The caller updates backlinks.
    func removeRow(at index: Int) throws(StorageError) {
        try takeRow(at: index)
        try record(countDifference: -1) { $0.remove(at: index) }
    }

    /// Removes a row of a tree and returns its value; nil, with nothing changed, if the row has
    /// bytes, which are read before they are removed. The caller updates backlinks.
    func takeValue(at index: Int, in old: TreeRoot) throws(StorageError) -> Scalar? {
        if format.hasKeys || format.kind == .bytes { return nil }
        var root = old
        var value = Scalar.null
        let (pager, column) = (pager, tree.valueColumn)
        let writer = writer(at: index, in: root)
        try tree.remove(writer, &root, at: index) { leaf, row throws(StorageError) in
            value = try leaf.scalar(pager, format.kind, in: column, at: row)
        }
        try storeShortened(root)
        try record(countDifference: -1) { $0.remove(at: index) }
        return value
    }

    /// Moves a row whose value is `value`. Short bytes must not lie in this collection.
    func moveRow(_ value: Scalar, from: Int, to: Int) throws(StorageError) {
        try takeRow(at: from)
        try putRow(CollectionRow(value: value), at: to, in: stored())
        try record { $0.move(from: from, to: to) }
    }

    private func putRow(_ row: CollectionRow, at index: Int, in stored: StoredCollection)
        throws(StorageError)
    {
        if var root = stored.root {
            precondition(index >= 0 && index <= root.count, "position out of range")
            try insert(row, at: index, in: &root)
            return try store(root)
        }
        // The offset of the new row: in front of the row now at `index`, or at the end.
        var place = stored.bytes.count
        var count = 0
        try stored.forEachInline { _, range in
            if count == index { place = range.lowerBound }
            count += 1
            return true
        }
        precondition(index >= 0 && index <= count, "position out of range")
        if InlineRows.mayHold(row) {
            var image: [UInt8] = []
            image.reserveCapacity(2 * InlineRows.maximumBytes)
            if stored.bytes.isEmpty { image.append(InlineRows.inlineTag) }
            image += stored.bytes[..<place]
            InlineRows.append(row, format, to: &image)
            image += stored.bytes[place...]
            if image.count <= InlineRows.maximumBytes { return try store(image) }
        }
        var root = try makeTree(from: stored)
        try insert(row, at: index, in: &root)
        try store(root)
    }

    private func replaceRow(at index: Int, by value: Scalar) throws(StorageError) {
        let stored = try stored()
        if let root = stored.root { return try setRow(at: index, to: value, in: root) }
        let range = try stored.inlineRanges()[index]
        let row = CollectionRow(key: try stored.row(at: index).key, value: value)
        if InlineRows.mayHold(row) {
            var image = Array(stored.bytes)
            var new: [UInt8] = []
            InlineRows.append(row, format, to: &new)
            image.replaceSubrange(range, with: new)
            if image.count <= InlineRows.maximumBytes { return try store(image) }
        }
        try setRow(at: index, to: value, in: makeTree(from: stored))
    }

    private func setRow(at index: Int, to value: Scalar, in old: TreeRoot) throws(StorageError) {
        var root = old
        let column = tree.valueColumn
        try pager.withStoredValue(value) { new throws(StorageError) in
            // Only after the new value was written, which may be a view of the old one.
            try freeOverflow(root, index, column: column)
            let writer = writer(at: index, in: root)
            try tree.set(writer, &root, at: index) { $0.set(column, $1, to: new) }
        }
        try store(root)
    }

    private func takeRow(at index: Int) throws(StorageError) {
        let stored = try stored()
        if var root = stored.root {
            for column in 0...tree.valueColumn { try freeOverflow(root, index, column: column) }
            try tree.remove(writer(at: index, in: root), &root, at: index)
            return try storeShortened(root)
        }
        let ranges = try stored.inlineRanges()
        var image = Array(stored.bytes)
        image.removeSubrange(ranges[index])
        try store(ranges.count == 1 ? [] : image)
    }

    /// Writes the root of a tree that has lost a row, or its rows if they are few.
    private func storeShortened(_ root: TreeRoot) throws(StorageError) {
        if let rows = try shortened(root) { try store(rows) } else { try store(root) }
    }

    /// Moves the rows of a tree that has become short back to the owner's row; returns nil if they
    /// do not fit. The limit is half of what the owner's row may hold, so that a collection does
    /// not move back and forth between the two forms.
    private func shortened(_ root: TreeRoot) throws(StorageError) -> [UInt8]? {
        let limit = InlineRows.maximumBytes / 2
        guard root.count > 0, root.count < limit else { return nil }
        var image = [InlineRows.inlineTag]
        var isShort = true
        try InlineRows.withImage(of: root) { bytes throws(StorageError) in
            let collection = StoredCollection(pager: pager, bytes: bytes, format: format)
            // swift-format-ignore: ReplaceForEachWithForLoop
            try collection.forEach { row in
                isShort = InlineRows.mayHold(row)
                guard isShort else { return false }
                InlineRows.append(row, format, to: &image)
                isShort = image.count <= limit
                return isShort
            }
        }
        guard isShort else { return nil }
        try forEachNode(pager, root, format: tree.format) { reference, _ throws(StorageError) in
            try pager.free(reference)
        }
        return image
    }

    private func insert(_ row: CollectionRow, at index: Int, in root: inout TreeRoot)
        throws(StorageError)
    {
        let tree = tree
        let writer = writer(at: index, in: root)
        try pager.withStoredValue(row.value) { value throws(StorageError) in
            guard format.hasKeys else {
                return try tree.insert(writer, &root, at: index) {
                    $0.set(0, $1, to: value)
                }
            }
            try pager.withStoredValue(.bytes(row.key)) { key throws(StorageError) in
                try tree.insert(writer, &root, at: index) {
                    $0.set(0, $1, to: key) && $0.set(1, $1, to: value)
                }
            }
        }
    }

    private func makeTree(from stored: StoredCollection) throws(StorageError) -> TreeRoot {
        var root = TreeRoot.empty
        try stored.forEachInline { row, _ throws(StorageError) in
            try insert(row, at: root.count, in: &root)
            return true
        }
        return root
    }

    private func freeOverflow(_ root: TreeRoot, _ index: Int, column: Int) throws(StorageError) {
        // Only bytes can be on overflow pages, so for other kinds the row need not be found.
        if column == tree.valueColumn, format.kind != .bytes { return }
        let (leaf, row) = try tree.find(pager, root, at: index)
        if leaf.kind(column) == .bytes, leaf.isOverflow(column, row) {
            try pager.free(leaf.overflowReference(column, row).0)
        }
    }
}

extension NestedCollection {
    func step(at position: Int) -> CollectionStep {
        CollectionStep(identity: identity, kind: kind, position: position)
    }
}

extension StoredCollection {
    /// The byte ranges of the rows of a collection that is stored inline.
    fileprivate func inlineRanges() throws(StorageError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        try forEachInline { _, range in
            ranges.append(range)
            return true
        }
        return ranges
    }

    /// The present position of a nested collection: usually that in `step`, otherwise found by its
    /// identity. Nil if it no longer exists.
    fileprivate func position(of step: CollectionStep) throws(StorageError) -> Int? {
        if step.position < (try count()),
            NestedCollection(try value(at: step.position))?.identity == step.identity
        {
            return step.position
        }
        var position = 0
        var found: Int?
        try forEachValue {
            if NestedCollection($0)?.identity == step.identity { found = position }
            position += 1
            return found == nil
        }
        return found
    }
}

extension Pager {
    /// Calls `body` with the form in which a value is stored in a leaf. A long value has been
    /// written to overflow pages by then.
    func withStoredValue<R>(
        _ value: Scalar, _ body: (ClusterTree.StoredValue) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard case .bytes(let bytes) = value, bytes.count > maximumInlineBytes else {
            return try body(.init(scalar: value))
        }
        let reference = try writeOverflow(bytes)
        return try withOverflowImage(reference, bytes.count) { image throws(StorageError) in
            try body(.init(scalar: .bytes(image), isOverflow: true))
        }
    }
}
