/// What the bytes of a column may refer to outside of their row.
enum CopiedContents {
    case plain
    /// Keys of maps, which are truncated when they are long.
    case short
    /// Values that are on overflow pages when they are long.
    case long
    /// Like `long`, and lists and maps.
    case mixed
    case collection(RowFormat)

    init(_ check: Table.ColumnCheck) {
        self =
            check.isCollection
            ? .collection(check.format) : CopiedContents(valuesOf: check.format.type)
    }

    init(valuesOf type: ValueType) {
        self = type == .mixed ? .mixed : type.columnKind == .bytes ? .long : .plain
    }
}

/// Copying what rows refer to. Long values and the trees of collections are copied once the rows
/// that refer to them are in a packed leaf. The new references have the length of the old ones and
/// replace them in place.
extension DatabaseCopy {
    /// Copies what a column of a packed leaf refers to. `depth` is the number of mixed values that
    /// the column is nested in.
    func copyReferences(
        in node: MutableNode, _ column: Int, as contents: CopiedContents, treeID: UInt32, depth: Int
    ) throws(StorageError) {
        switch contents {
        case .plain: return
        case .short, .long:
            // Most leaves have no long value.
            if !node.reading.mayHaveOverflow(column) { return }
        case .mixed, .collection: break
        }
        for row in 0..<node.rowCount {
            if node.reading.isOverflow(column, row) {
                try copyLongValue(in: node, column, row: row, as: contents)
                continue
            }
            let bytes = node.reading.bytes(column, row)
            guard let image = try image(of: bytes, contents, treeID: treeID, depth: depth) else {
                continue
            }
            guard image.count == bytes.count else { throw unreadable }
            let fits = image.withUnsafeBytes {
                node.setBytes(column, row, to: $0, isOverflow: false)
            }
            precondition(fits, "bytes of the same length take no more room")
        }
    }

    private func copyLongValue(
        in node: MutableNode, _ column: Int, row: Int, as contents: CopiedContents
    ) throws(StorageError) {
        let reference = node.reading.overflowReference(column, row).0
        let bytes = try longValues.readNext { () throws(StorageError) in
            try source.pager.overflowBytes(reference)
        }
        longValues.keepNewest()
        // A value that holds a collection is never long enough to overflow.
        switch contents {
        case .long: break
        case .mixed where NestedCollection(bytes) == nil: break
        default: throw unreadable
        }
        try budget.spend(onCopyOf: bytes, source.pager)
        let copy = try target.pager.writeOverflow(bytes)
        let fits = node.setOverflow(column, row, to: copy, length: bytes.count)
        precondition(fits, "a reference takes the room of a reference")
        try count(bytes.count)
    }

    /// The new bytes of a value whose trees have been copied; nil if it has none.
    private func image(
        of bytes: UnsafeRawBufferPointer, _ contents: CopiedContents, treeID: UInt32, depth: Int
    ) throws(StorageError) -> [UInt8]? {
        switch contents {
        case .plain, .short, .long: return nil
        case .collection(let format):
            return try rowsImage(of: bytes, format, treeID: treeID, depth: depth)
        case .mixed:
            guard let nested = NestedCollection(bytes) else { return nil }
            guard depth < NestedCollection.maximumDepth else { throw tooDeep(source.pager) }
            return try rowsImage(
                of: nested.rows, .nested(nested.kind), treeID: treeID, depth: depth + 1
            )
            .map { NestedCollection.image(nested.kind, nested.identity, of: $0) }
        }
    }

    /// The same for the part of a collection that a row or a mixed value holds.
    private func rowsImage(
        of bytes: UnsafeRawBufferPointer, _ format: RowFormat, treeID: UInt32, depth: Int
    ) throws(StorageError) -> [UInt8]? {
        let stored = StoredCollection(pager: source.pager, bytes: bytes, format: format)
        if let root = stored.root {
            return InlineRows.image(
                of: try copyCollection(root, format, treeID: treeID, depth: depth))
        }
        // An impossible tree root must not be copied as if it were rows.
        if InlineRows.root(bytes) != nil { throw unreadable }
        guard format.type == .mixed else { return nil }
        var image = [InlineRows.inlineTag]
        var hasTrees = false
        let isReadable = try InlineRows.forEach(bytes, format) { row, _ throws(StorageError) in
            var row = row
            guard case .bytes(let value) = row.value,
                let copy = try self.image(of: value, .mixed, treeID: treeID, depth: depth)
            else {
                InlineRows.append(row, format, to: &image)
                return true
            }
            hasTrees = true
            copy.withUnsafeBytes {
                row.value = .bytes($0)
                InlineRows.append(row, format, to: &image)
            }
            return true
        }
        guard isReadable else { throw unreadable }
        return hasTrees ? image : nil
    }

    private var unreadable: StorageError {
        source.pager.damaged(0, "the elements of a collection cannot be read")
    }
}
