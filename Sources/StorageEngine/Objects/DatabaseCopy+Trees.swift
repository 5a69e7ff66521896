/// Copying trees of all kinds by packing their leaves.
extension DatabaseCopy {
    /// Copies the objects of a table. Links and backlinks are object keys, which stay the same.
    /// `oldColumns` are the positions of the columns in the old table.
    func copyObjects(of old: Table, to new: Table, columns oldColumns: [Int]) throws(StorageError) {
        let root = try old.root
        // A copy of the columns, because ending a transaction of the copy may make the table reload
        // its schema.
        let columns = Array(new.cluster.columns)
        let pageSize = target.pager.pageSize
        let defaults = DefaultColumns(columns, pageSize: pageSize)
        let shape = LeafPacker.Shape(
            treeID: new.cluster.treeID, columns: columns.map(\.format),
            pages: new.cluster.leafPages(pageSize), maximumRows: ClusterTree.maximumRows,
            isCluster: true)
        let contents = columns.indices.map {
            $0 < new.propertyCount ? CopiedContents(new.checks[$0]) : .plain
        }
        var previous: Int64?
        let copy = try pack(root, .cluster, into: shape, holding: contents) {
            leaf, sources throws(StorageError) in
            try self.check(leaf, root, after: &previous)
            for column in columns.indices {
                sources.append(
                    try old.column(oldColumns[column], of: leaf)
                        ?? defaults.source(column, rows: leaf.rowCount))
            }
        }
        try adopt(copy, new.cluster.treeID, copyOf: old.cluster.treeID)
    }

    /// Checks that the keys of a leaf come after those of the leaf before. Packing places leaves by
    /// their first and last keys, and so relies on ascending order. Within a leaf the order has
    /// been checked.
    private func check(_ leaf: Node, _ root: TreeRoot, after previous: inout Int64?)
        throws(StorageError)
    {
        guard leaf.rowCount > 0 else { return }
        if let previous, previous >= leaf.objectKey(0).rawValue {
            throw source.pager.damaged(
                root.reference.page, "the object keys below it do not ascend")
        }
        previous = leaf.objectKey(leaf.rowCount - 1).rawValue
    }

    /// Copies a map, which contains only keys and numbers.
    func copyMap(
        _ map: OrderedMap, _ oldID: UInt32, to treeID: UInt32
    ) throws(StorageError) {
        let root = try source.forest.state(oldID).pointee.root
        let shape = shape(treeID, map.format)
        let contents = shape.columns.map { $0.kind == .bytes ? CopiedContents.short : .plain }
        let copy = try pack(
            root, map.format, into: shape, holding: contents, addSources: appendColumns)
        try adopt(copy, treeID, copyOf: oldID)
    }

    /// Copies the tree of a long list, set or map that is nested in `depth` mixed values.
    func copyCollection(
        _ root: TreeRoot, _ format: RowFormat, treeID: UInt32, depth: Int
    ) throws(StorageError) -> TreeRoot {
        let tree = TreeFormat.collection(hasKeys: format.hasKeys, format.kind)
        let shape = shape(treeID, tree, maximumRows: CollectionTree.maximumRows)
        let values = CopiedContents(valuesOf: format.type)
        let contents = format.hasKeys ? [.long, values] : [values]
        return try pack(
            root, tree, into: shape, holding: contents, depth: depth, addSources: appendColumns)
    }

    // MARK: Packing

    private func shape(_ treeID: UInt32, _ format: TreeFormat, maximumRows: Int = .max)
        -> LeafPacker.Shape
    {
        let limit = MutableNode.rowLimit(byteCount: target.pager.pageSize)
        return LeafPacker.Shape(
            treeID: treeID, columns: format.leafColumns, pages: 1,
            maximumRows: min(maximumRows, limit), isCluster: false,
            sharesPrefix: format.sharesPrefix)
    }

    /// Appends all columns of a leaf. In maps and collections they are those of the format.
    private func appendColumns(_ leaf: Node, to sources: inout [LeafPacker.Source]) {
        for column in 0..<leaf.columnCount { sources.append((leaf, column)) }
    }

    /// Copies a tree. `addSources` appends the source of each column of a leaf.
    private func pack(
        _ root: TreeRoot, _ format: TreeFormat, into shape: LeafPacker.Shape,
        holding contents: [CopiedContents], depth: Int = 0,
        addSources: (Node, inout [LeafPacker.Source]) throws(StorageError) -> Void
    ) throws(StorageError) -> TreeRoot {
        try budget.spend(on: root, source.pager)
        let packer = LeafPacker(shape, pageSize: target.pager.pageSize)
        let builder = TreeBuilder(writer, treeID: shape.treeID, format: format)
        let passing = PassingRuns(source.pager)
        func finishLeaf() throws(StorageError) {
            let leaf = packer.layOut()
            for column in contents.indices {
                let (node, position) = packer.place(of: column)
                try copyReferences(
                    in: node, position, as: contents[column], treeID: shape.treeID, depth: depth)
            }
            try builder.append(try packer.store(in: target.pager), leaf.reading)
            // The packer refers to the leaves that it gathered from, so these are freed after it.
            packer.removeAll()
            passing.keepNewest()
            // Last, because it may end the transaction.
            try count(leaf.byteCount)
        }
        var cursor = try LeafCursor(source.pager, root, format: format)
        var sources: [LeafPacker.Source] = []
        while try passing.readNext({ () throws(StorageError) in try cursor.next() }) {
            if let prefetcher, cursor.isAtFirstOfBranch {
                prefetcher.prefetch(cursor.leavesBehind)
            }
            let leaf = cursor.leaf
            sources.removeAll(keepingCapacity: true)
            try passing.readMore { () throws(StorageError) in try addSources(leaf, &sources) }
            var row = 0
            while row < leaf.rowCount {
                row += packer.gather(leaf, sources, from: row)
                if row == leaf.rowCount { break }
                guard packer.rowCount > 0 else {
                    throw source.pager.damaged(
                        root.reference.page, "a row below it fills more than a leaf")
                }
                try finishLeaf()
            }
        }
        if packer.rowCount > 0 { try finishLeaf() }
        let copy = try builder.finish()
        guard copy.count == root.count else {
            throw source.pager.countsDisagree(root.reference)
        }
        return copy
    }
}
