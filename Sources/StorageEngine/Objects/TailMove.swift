/// Moves live pages away from the end of the file, so that it can be cut: a few of them in each
/// transaction that has changes of its own.
///
/// A walk over everything that a version reaches. A run that lies above the ceiling of the free map
/// (``TailRelease``) is copied, as any change would, and what leads to it follows. Leaves are found
/// by their position among all rows, in every kind of tree, so that a path of positions says where
/// to go on in the next transaction. When rows come or go meanwhile, some leaves are seen twice and
/// some are missed; the next walk finds those.
struct TailMove {
    /// What one transaction does for it, at most, before a leaf is begun: this bounds what a small
    /// commit pays, in bytes written and in time (some 0.3 ms). Counted, not timed, so that the same
    /// transactions leave the same file.
    private static let largestPages: UInt64 = 32
    private static let largestLeaves = 64
    private static let largestValues = 16_384

    let connection: Connection
    let pager: Pager
    var walk: TailWalk
    /// How many collections the walk is inside of.
    var depth = 0
    private let takenBefore: UInt64
    private var visitedLeaves = 0
    /// Strings, data and collections that were looked at, in leaves of all kinds.
    var visitedValues = 0

    /// One of the parts that a version consists of. Its map of free pages is no such part: that is
    /// written anew now and then, by ``Pager/writeCheckpoint(sequence:)``.
    private enum Part {
        case tree(id: UInt32, TreeContents)
        case schema
        /// The tree of roots; last, so that most of the roots that the walk changes are in it.
        case forest
    }

    /// Goes on with the walk if one is under way. Before the roots are written.
    ///
    /// - Throws: `.damaged` for what cannot be read. The transaction can then only be rolled back,
    ///   and nothing is moved any more while this process has the file open, so that the next one
    ///   is not disturbed.
    static func advance(_ connection: Connection) throws {
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

    /// Whether enough pages were moved.
    var hasMovedEnough: Bool { pager.takenPages >= takenBefore + Self.largestPages }

    private var isSpent: Bool {
        hasMovedEnough || visitedLeaves >= Self.largestLeaves
            || visitedValues >= Self.largestValues
    }

    // MARK: Parts

    private mutating func run() throws {
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

    /// False if the walk is to go on in this part; `walk.path` then says where.
    private mutating func move(_ part: Part, from resume: ArraySlice<Int>) throws -> Bool {
        switch part {
        case .tree(let id, let contents):
            return try moveTree(id, contents, from: resume)
        case .schema:
            try moveSchema()
            return true
        case .forest:
            return try connection.forest.withTree { root, writer in
                try moveTree(&root, .entries(Forest.map, writer), from: resume)
            }
        }
    }

    private mutating func moveTree(
        _ id: UInt32, _ contents: TreeContents, from resume: ArraySlice<Int>
    ) throws -> Bool {
        var root = try connection.forest.state(id).pointee.root
        let isDone = try moveTree(&root, contents, from: resume)
        let state = try connection.forest.state(id)
        if state.pointee.root != root {
            state.pointee.root = root
            state.pointee.isDirty = true
        }
        return isDone
    }

    private func moveSchema() throws {
        let schema = try connection.forest.state(Forest.schemaID)
        let reference = schema.pointee.root.reference
        guard !reference.isNone,
            pager.isToMove(reference, pages: PageHeader(try pager.page(reference)).pageCount)
        else { return }
        schema.pointee.root.reference = try pager.makeWritable(reference).0
        schema.pointee.isDirty = true
    }

    // MARK: Trees

    /// Moves what is high of a tree, and of what its values lead to, from the leaf on that holds
    /// row `resume.first`. False if there is more to do; `walk.path` then says where to go on.
    mutating func moveTree(
        _ root: inout TreeRoot, _ contents: TreeContents, from resume: ArraySlice<Int>
    ) throws -> Bool {
        var position = resume.first ?? 0
        var inner = resume.dropFirst()
        while position < root.count {
            if isSpent {
                walk.path = [position]
                return false
            }
            visitedLeaves += 1
            let place = try leaf(at: position, in: root, contents.format)
            let (patches, isDone) = try moveValues(in: place.leaf, contents, from: inner)
            if try place.isHigh || !patches.isEmpty || hasHighSpill(place.leaf) {
                try rewriteLeaf(place.leaf, at: place.first, &root, contents, patches)
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

    /// The leaf that holds a row, its first row, and whether it, or a branch above it, is to move.
    private func leaf(
        at position: Int, in root: TreeRoot, _ format: TreeFormat
    ) throws -> (leaf: Node, first: Int, isHigh: Bool) {
        var node = try pager.root(of: root, format)
        var row = position
        var isHigh = pager.isToMove(root.reference, pages: node.pageCount)
        while node.level > 0 {
            let child = ClusterTree.childRow(node, position: &row)
            let reference = node.child(child)
            node = try pager.child(of: node, child, format)
            isHigh = isHigh || pager.isToMove(reference, pages: node.pageCount)
        }
        guard row >= 0, row < node.rowCount else { throw pager.countsDisagree(root.reference) }
        return (node, position - row, isHigh)
    }

    private func isHighSpill(_ reference: PageReference) throws -> Bool {
        // One page first, which needs no look at the node.
        guard pager.isToMove(reference, pages: 1) else { return false }
        return pager.isToMove(reference, pages: try pager.node(reference).pageCount)
    }

    private func hasHighSpill(_ leaf: Node) throws -> Bool {
        for column in 0..<leaf.columnCount where leaf.isSpilled(column) {
            if try isHighSpill(leaf.spillReference(column)) { return true }
        }
        return false
    }

    /// Copies the path to a leaf, and what is high of its spilled columns, and puts in the values
    /// that have changed.
    private func rewriteLeaf(
        _ old: Node, at first: Int, _ root: inout TreeRoot, _ contents: TreeContents,
        _ patches: [Patch]
    ) throws {
        let writer = contents.writer
        let (leaf, _) = try writer.descend(&root, contents.format, to: first)
        // Where trees share nodes, in a file made to harm, the way there may have changed meanwhile.
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
            guard try !changes.isEmpty || isHighSpill(reference) else { continue }
            let (copy, node) = try writer.writable(reference)
            leaf.setSpillReference(column, copy)
            for patch in changes { try apply(patch, to: node, column: 0) }
        }
        writer.dropPath()
    }

    private func apply(_ patch: Patch, to node: MutableNode, column: Int) throws {
        let isSet =
            patch.row < node.rowCount
            && patch.bytes.withUnsafeBytes {
                node.setBytes(column, patch.row, $0, isOverflow: patch.isOverflow)
            }
        guard isSet else {
            throw pager.damaged(0, "a value does not fit where one of its length was")
        }
    }
}
