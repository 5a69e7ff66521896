/// Moves live pages away from the end of the file, so that the file can be truncated. Each
/// transaction that has changes of its own moves a few of them.
///
/// The move is a walk over everything that a version reaches. A run above the ceiling of the free
/// map (``TailRelease``) is copied, as by any change, and the references to it are updated. In
/// every kind of tree, leaves are found by the position of their rows. So a path of positions says
/// where the next transaction continues. If rows are inserted or removed in between, some leaves
/// are visited twice and some are missed; the next walk finds the latter.
struct TailMove {
    /// Limits on what one transaction moves and visits, tested before each leaf; the number of
    /// pages is also tested before each value. They bound the cost that the walk adds to a small
    /// commit, in bytes written and in time (some 0.3 ms). They count work rather than time, so
    /// that the same transactions produce the same file.
    private static let largestPages: UInt64 = 32
    private static let largestLeaves = 64
    private static let largestValues = 16_384

    let connection: Connection
    let pager: Pager
    var walk: TailWalk
    /// The number of nested collections that the walk is inside of.
    var depth = 0
    private let takenBefore: UInt64
    private var visitedLeaves = 0
    /// The number of strings, data and collections visited, in leaves of all kinds.
    var visitedValues = 0

    /// One part of a version. The map of free pages is not one of them, because
    /// ``WriteTransaction/writeCheckpoint(sequence:memory:)`` rewrites it regularly.
    private enum Part {
        case tree(id: UInt32, TreeContents)
        case schema
        /// The tree of roots. It comes last, so that it already contains most of the roots that the
        /// walk changes.
        case forest
    }

    /// Continues the walk if one is under way. Called before the roots are written.
    ///
    /// - Throws: `.damaged` for what cannot be read. The transaction can then only be rolled back.
    ///   Nothing more is moved while this process has the file open, so that the next transaction
    ///   is not affected.
    static func advance(_ connection: Connection) throws(StorageError) {
        guard let walk = connection.pager.tailWalk else { return }
        var move = TailMove(connection, walk)
        do {
            try move.run()
        } catch {
            connection.pager.giveUpTailWalk()
            throw error
        }
    }

    private init(_ connection: Connection, _ walk: TailWalk) {
        self.connection = connection
        pager = connection.pager
        self.walk = walk
        takenBefore = pager.takenPages
    }

    // MARK: Budget

    /// Whether enough pages were moved for this transaction.
    var hasMovedEnough: Bool { pager.takenPages >= takenBefore + Self.largestPages }

    private var isSpent: Bool {
        hasMovedEnough || visitedLeaves >= Self.largestLeaves
            || visitedValues >= Self.largestValues
    }

    // MARK: Parts

    private mutating func run() throws(StorageError) {
        let parts = parts
        var isDone = true
        while isDone, walk.part < parts.count {
            let resume = walk.path
            walk.path = []
            isDone = try move(parts[walk.part], from: resume[...])
            if isDone { walk.part += 1 }
        }
        walk.movedPages += pager.takenPages - takenBefore
        if isDone { pager.finish(walk) } else { pager.keep(walk) }
    }

    private var parts: [Part] {
        var parts: [Part] = []
        for index in 0..<connection.tableCount {
            let table = connection.table(index)
            for (id, role) in table.stored.trees {
                let contents = table.map(of: role).map { TreeContents.entries($0, $1) }
                parts.append(.tree(id: id, contents ?? .objects(table)))
            }
        }
        return parts + [.schema, .forest]
    }

    /// Moves one part. Returns false if the walk has to continue in this part, from `walk.path`.
    private mutating func move(_ part: Part, from resume: ArraySlice<Int>) throws(StorageError)
        -> Bool
    {
        switch part {
        case .tree(let id, let contents):
            return try moveTree(id, contents, from: resume)
        case .schema:
            try moveSchema()
            return true
        case .forest:
            return try connection.forest.withTree { root, writer throws(StorageError) in
                try moveTree(&root, .entries(Forest.map, writer), from: resume)
            }
        }
    }

    private mutating func moveTree(
        _ id: UInt32, _ contents: TreeContents, from resume: ArraySlice<Int>
    ) throws(StorageError) -> Bool {
        var root = try connection.forest.state(id).pointee.root
        let isDone = try moveTree(&root, contents, from: resume)
        let state = try connection.forest.state(id)
        if state.pointee.root != root {
            state.pointee.root = root
            state.pointee.isDirty = true
        }
        return isDone
    }

    private func moveSchema() throws(StorageError) {
        let schema = try connection.forest.state(Forest.schemaID)
        let reference = schema.pointee.root.reference
        guard !reference.isNone,
            pager.isToMove(reference, pages: PageHeader(try pager.page(reference)).pageCount)
        else { return }
        schema.pointee.root.reference = try pager.makeWritable(reference).0
        schema.pointee.isDirty = true
    }

    // MARK: Trees

    /// Moves the runs of a tree, and of what its values lead to, that are above the ceiling. Begins
    /// with the leaf that contains row `resume.first`. Returns false if there is more to do;
    /// `walk.path` then says where to continue.
    mutating func moveTree(
        _ root: inout TreeRoot, _ contents: TreeContents, from resume: ArraySlice<Int>
    ) throws(StorageError) -> Bool {
        var position = resume.first ?? 0
        var inner = resume.dropFirst()
        while position < root.count {
            if isSpent {
                walk.path = [position]
                return false
            }
            visitedLeaves += 1
            let place = try leaf(at: position, in: root, as: contents.format)
            let (patches, isDone) = try moveValues(in: place.leaf, contents, from: inner)
            // Also for a leaf that is only partly done: the runs moved so far have new places.
            var isToRewrite = place.isHigh || !patches.isEmpty
            if !isToRewrite { isToRewrite = try hasHighSpill(place.leaf) }
            if isToRewrite {
                try rewriteLeaf(
                    place.leaf, at: place.first, in: &root, holding: contents, with: patches)
            }
            guard isDone else {
                walk.path.insert(place.first, at: 0)
                return false
            }
            inner = []
            position = place.first + place.leaf.rowCount
        }
        return true
    }

    /// The leaf that contains a row, the position of its first row, and whether the leaf or a
    /// branch above it is to be moved.
    private func leaf(
        at position: Int, in root: TreeRoot, as format: TreeFormat
    ) throws(StorageError) -> (leaf: Node, first: Int, isHigh: Bool) {
        var node = try pager.root(of: root, format)
        var row = position
        var isHigh = pager.isToMove(root.reference, pages: node.pageCount)
        while node.level > 0 {
            let child = ClusterTree.childRow(node, position: &row)
            let reference = node.child(child)
            node = try pager.child(of: node, child, shape: format)
            isHigh = isHigh || pager.isToMove(reference, pages: node.pageCount)
        }
        guard row >= 0, row < node.rowCount else { throw pager.countsDisagree(root.reference) }
        return (node, position - row, isHigh)
    }

    private func isHighSpill(_ reference: PageReference) throws(StorageError) -> Bool {
        // Tested for one page first, which does not require reading the node.
        guard pager.isToMove(reference, pages: 1) else { return false }
        return pager.isToMove(reference, pages: try pager.node(reference).pageCount)
    }

    private func hasHighSpill(_ leaf: Node) throws(StorageError) -> Bool {
        for column in 0..<leaf.columnCount where leaf.isSpilled(column) {
            if try isHighSpill(leaf.spillReference(column)) { return true }
        }
        return false
    }

    /// Copies the path to a leaf and those of its spilled columns that are above the ceiling, and
    /// applies the changed values.
    private func rewriteLeaf(
        _ old: Node, at first: Int, in root: inout TreeRoot, holding contents: TreeContents,
        with patches: [Patch]
    ) throws(StorageError) {
        let writer = contents.writer
        let (leaf, _) = try writer.descend(&root, contents.format, to: first)
        // In a malicious file trees may share nodes, so moving the values may have changed this
        // path.
        guard leaf.columnCount == old.columnCount, leaf.rowCount == old.rowCount else {
            throw pager.countsDisagree(root.reference)
        }
        for patch in patches
        where !leaf.reading.isSpilled(patch.column) && !planted(.leavesMovedValues) {
            try apply(patch, to: leaf, column: patch.column)
        }
        for column in 0..<leaf.columnCount where leaf.reading.isSpilled(column) {
            let reference = leaf.reading.spillReference(column)
            let changes = patches.filter { $0.column == column }
            if changes.isEmpty, try !isHighSpill(reference) { continue }
            let (copy, node) = try writer.writable(reference)
            leaf.setSpillReference(column, copy)
            for patch in changes { try apply(patch, to: node, column: 0) }
        }
        writer.dropPath()
    }

    private func apply(_ patch: Patch, to node: MutableNode, column: Int) throws(StorageError) {
        let isSet =
            patch.row < node.rowCount
            && patch.bytes.withUnsafeBytes {
                node.setBytes(column, patch.row, to: $0, isOverflow: patch.isOverflow)
            }
        guard isSet else {
            throw pager.damaged(0, "a value does not fit where one of its length was")
        }
    }
}
