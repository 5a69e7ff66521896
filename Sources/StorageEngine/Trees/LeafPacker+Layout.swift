/// Building a leaf from the gathered rows.
extension LeafPacker {
    /// Builds the leaf of the gathered rows, and the nodes of its spilled columns. They belong to
    /// the packer until the next layout.
    func layOut() -> MutableNode {
        let width = shape.isCluster ? Self.keyWidth(firstKey, lastKey, rows: rowCount) : nil
        pages = neededPages
        let leaf = MutableNode(leafBuffer, byteCount: pages * pageSize)
        let draft = begin(leaf, columns: shape.columns.count + (width == nil ? 0 : 1))
        for c in shape.columns.indices {
            draft.entry(c).initialize(shape.columns[c])
            if isSpilled[c] {
                draft.entry(c).flags |= ColumnEntry.spilled
                layOutSpill(c)
            } else {
                needs[c].wish(in: draft.entry(c), rows: rowCount)
            }
        }
        if let width {
            let keys = draft.entry(shape.columns.count)
            keys.initialize(ColumnFormat(id: Node.keyColumnID, kind: .integer))
            keys.width = width
        }
        assign(draft)
        for c in shape.columns.indices where !isSpilled[c] { copyRows(c, to: draft, column: c) }
        if let width { copyKeys(draft.target + draft.entry(shape.columns.count).dataOffset, width) }
        return leaf
    }

    /// Returns the node that holds a column of the last layout, and the column's index in it.
    func place(of c: Int) -> (node: MutableNode, column: Int) {
        isSpilled[c]
            ? (spill(c), 0) : (MutableNode(leafBuffer, byteCount: pages * pageSize), c)
    }

    /// The pages of the last layout: those of the leaf and of its spilled columns.
    var laidOutPages: Int {
        shape.columns.indices.filter { isSpilled[$0] }.reduce(pages) {
            $0 + spill($1).byteCount / pageSize
        }
    }

    /// Adds the leaf of the last layout, and its spilled columns, to the open transaction.
    func store(in pager: Pager) throws(StorageError) -> PageReference {
        let leaf = MutableNode(leafBuffer, byteCount: pages * pageSize)
        for c in shape.columns.indices where isSpilled[c] {
            let spill = spill(c)
            leaf.setSpillReference(c, try pager.adopt(spill))
            leaf.updateSpillZone(c, from: spill.reading)
        }
        return try pager.adopt(leaf)
    }

    private func spill(_ c: Int) -> MutableNode {
        let bytes = needs[c].bytes(rows: rowCount, stringBytes: needs[c].stringBytes)
        let pages = (NodeDraft.bytes(directoryOf: 1) + bytes + pageSize - 1) / pageSize
        return MutableNode(spillBuffers[c]!, byteCount: pages * pageSize)
    }

    private func layOutSpill(_ c: Int) {
        if spillBuffers[c] == nil {
            spillBuffers[c] = .allocate(
                byteCount: largestSpill(shape.columns[c]), alignment: 16)
        }
        let draft = begin(spill(c), columns: 1)
        draft.entry(0).initialize(shape.columns[c])
        needs[c].wish(in: draft.entry(0), rows: rowCount)
        assign(draft)
        copyRows(c, to: draft, column: 0)
    }

    private func begin(_ node: MutableNode, columns: Int) -> NodeDraft {
        PageHeader.write(
            to: node.base, kind: .node, columnCount: columns,
            pageCount: node.byteCount / pageSize, birth: 0, treeID: shape.treeID,
            rowCount: rowCount, lowKey: shape.isCluster ? firstKey : 0)
        // Clears the row capacity and the reserved field behind it.
        node.base.storeBytes(of: 0, toByteOffset: PageHeader.size, as: UInt64.self)
        return NodeDraft(formatting: node.base, byteCount: node.byteCount)
    }

    private func assign(_ draft: NodeDraft) {
        let fits = draft.assignOffsets(rows: rowCount)
        precondition(fits, "rows were gathered that do not fit")
    }

    private func copyRows(_ c: Int, to draft: NodeDraft, column: Int) {
        var row = 0
        for (index, piece) in pieces.enumerated() {
            let source = sources[index * shape.columns.count + c]
            draft.copyRows(
                from: source.node, column: source.column, rows: piece.rows, to: column, at: row)
            row += piece.rows.count
        }
    }

    private func copyKeys(_ data: UnsafeMutableRawPointer, _ width: Int) {
        var row = 0
        for piece in pieces {
            let distance = piece.leaf.lowKey &- firstKey
            let column = piece.leaf.keyColumn
            if column >= 0, !piece.leaf.entry(column).isRamp {
                let keys = piece.leaf.packedData(column)
                PackedNumbers.copy(
                    keys.data, piece.rows, width: keys.width, to: data, at: row, width: width,
                    adding: UInt64(bitPattern: keys.base &+ distance))
            } else {
                for i in 0..<piece.rows.count {
                    let key = piece.leaf.objectKey(piece.rows.lowerBound + i).rawValue &- firstKey
                    PackedNumbers.store(data, row + i, width: width, delta: UInt64(bitPattern: key))
                }
            }
            row += piece.rows.count
        }
    }
}
