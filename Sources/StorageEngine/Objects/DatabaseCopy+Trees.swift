/// Trees of all kinds are copied by packing their leaves.
extension DatabaseCopy {
    /// Copies the objects of a table. Links and backlinks are object keys, which stay the same.
    func copyObjects(of old: Table, to new: Table) throws {
        let (root, columns) = (try old.root, new.cluster.columns)
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
        let copy = try pack(root, .cluster, shape, contents) { leaf, sources in
            try self.check(leaf, root, after: &previous)
            for column in columns.indices {
                sources.append(
                    try old.column(column, of: leaf)
                        ?? defaults.source(column, rows: leaf.rowCount))
            }
        }
        try adopt(copy, new.cluster.treeID)
    }

    /// Leaves are laid out by their first key and their last: those between must be between.
    private func check(_ leaf: Node, _ root: TreeRoot, after previous: inout Int64?) throws {
        guard leaf.rowCount > 0 else { return }
        let (first, last) = (leaf.objectKey(0), leaf.objectKey(leaf.rowCount - 1))
        var isOrdered = previous.map { $0 < first.rawValue } ?? true
        let column = leaf.keyColumn
        if column >= 0 {
            for row in 1..<leaf.rowCount
            where leaf.integer(column, row - 1) >= leaf.integer(column, row) { isOrdered = false }
        }
        guard isOrdered else {
            throw source.pager.damaged(
                root.reference.page, "the object keys below it do not ascend")
        }
        previous = last.rawValue
    }

    /// Copies a map, which holds nothing but keys and numbers.
    func copyMap(_ map: OrderedMap, _ treeID: UInt32) throws {
        let root = try source.forest.state(treeID).pointee.root
        let shape = shape(treeID, map.format)
        let contents = shape.columns.map { _ in CopiedContents.plain }
        let copy = try pack(root, map.format, shape, contents) { leaf, sources in
            try self.append(leaf, of: root, shape, to: &sources)
        }
        try adopt(copy, treeID)
    }

    /// Copies the tree of a long list, set or map, which lies in mixed values `depth` times.
    func copyCollection(
        _ root: TreeRoot, _ format: RowFormat, _ treeID: UInt32, depth: Int
    ) throws -> TreeRoot {
        let tree = TreeFormat.collection(hasKeys: format.hasKeys, format.kind)
        let shape = shape(treeID, tree, maximumRows: CollectionTree.maximumRows)
        let values = CopiedContents(valuesOf: format.type)
        let contents = format.hasKeys ? [.long, values] : [values]
        return try pack(root, tree, shape, contents, depth: depth) { leaf, sources in
            try self.append(leaf, of: root, shape, to: &sources)
        }
    }

    // MARK: Packing

    private func shape(_ treeID: UInt32, _ format: TreeFormat, maximumRows: Int = .max)
        -> LeafPacker.Shape
    {
        let limit = MutableNode.rowLimit(byteCount: target.pager.pageSize)
        return LeafPacker.Shape(
            treeID: treeID, columns: format.leafColumns, pages: 1,
            maximumRows: min(maximumRows, limit), isCluster: false)
    }

    /// All columns of a leaf, which must be those of the shape: others would be read outside of
    /// what there is.
    private func append(
        _ leaf: Node, of root: TreeRoot, _ shape: LeafPacker.Shape,
        to sources: inout [LeafPacker.Source]
    ) throws {
        guard leaf.columnCount == shape.columns.count,
            shape.columns.indices.allSatisfy({
                leaf.kind($0) == shape.columns[$0].kind && !leaf.isSpilled($0)
            })
        else {
            throw source.pager.damaged(
                root.reference.page, "a leaf below it has another tree's form")
        }
        for column in shape.columns.indices { sources.append((leaf, column)) }
    }

    /// Copies a tree. `addSources` appends the place of each column of a leaf.
    private func pack(
        _ root: TreeRoot, _ format: TreeFormat, _ shape: LeafPacker.Shape,
        _ contents: [CopiedContents], depth: Int = 0,
        addSources: (Node, inout [LeafPacker.Source]) throws -> Void
    ) throws -> TreeRoot {
        let packer = LeafPacker(shape, pageSize: target.pager.pageSize)
        let builder = TreeBuilder(writer, treeID: shape.treeID, format)
        func finishLeaf() throws {
            let leaf = packer.layOut()
            for column in contents.indices {
                let (node, position) = packer.place(of: column)
                try copyReferences(
                    in: node, position, contents[column], shape.treeID, depth: depth)
            }
            try builder.append(try packer.store(in: target.pager), leaf.reading)
            packer.removeAll()
            try count(leaf.byteCount)
        }
        var cursor = try LeafCursor(source.pager, root)
        var sources: [LeafPacker.Source] = []
        while try cursor.next() {
            let leaf = cursor.leaf
            sources.removeAll(keepingCapacity: true)
            try addSources(leaf, &sources)
            var row = 0
            while row < leaf.rowCount {
                row += packer.gather(leaf, sources, from: row)
                if row < leaf.rowCount { try finishLeaf() }
            }
        }
        if packer.rowCount > 0 { try finishLeaf() }
        let copy = try builder.finish()
        guard copy.count == root.count else {
            throw source.pager.damaged(root.reference.page, "row counts do not add up")
        }
        return copy
    }
}
