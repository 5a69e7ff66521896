/// A walk over everything that a snapshot reaches, which checks the invariants listed in
/// `docs/design.md`.
///
/// Reading a page checks its seal and structure. The walk checks the relations between pages: no
/// page is used twice; keys and counts, primary keys, links and backlinks agree; and, while no
/// writer is active, every page is reachable or free.
struct Verification {
    let connection: Connection
    var pager: Pager { connection.pager }
    private var problems: [String] = []
    private var reached = ExtentSet()
    /// Whether no node was reached twice and all counts add up. Otherwise looking up every object
    /// of a table may take unbounded time, because a tree may contain the same leaf many times.
    private var areTrees = true
    /// For each backlink column, the number of links found that lead to its table, minus the number
    /// of backlinks found in it.
    var unmatched: [BacklinkPlace: Int64] = [:]

    struct BacklinkPlace: Hashable {
        var table: Int
        var column: Int
    }

    /// The number of problems after which no more are collected.
    private static let limit = 100

    private let progress: Database.Progress?
    /// Is told of each run of pages that is reached, and what it is used for, then of those that
    /// are free or kept for other versions.
    private let visit: PageVisitor?
    /// What the pages that are reached now are used for.
    var use = PageUse(table: nil, part: .roots)
    private var reachedPages: UInt64 = 0
    private var runsUntilReport = runsPerReport
    private static let runsPerReport = 256

    init(
        _ connection: Connection, progress: Database.Progress? = nil, visit: PageVisitor? = nil
    ) {
        self.connection = connection
        self.progress = progress
        self.visit = visit
    }

    static func run(
        _ connection: Connection, progress: Database.Progress? = nil, visit: PageVisitor? = nil
    ) throws(StorageError) -> [String] {
        var verification = Verification(connection, progress: progress, visit: visit)
        try verification.walk()
        return verification.problems
    }

    mutating func report(_ problem: String) {
        if problems.count < Self.limit { problems.append(problem) }
    }

    private mutating func walk() throws(StorageError) {
        try connection.removeDeletedRows()
        try connection.catchUpIndexes()
        let known = Set(connection.schema.tables.flatMap { $0.trees.map { Int64($0.id) } })
        try walkNodes(try connection.forest.forestRoot(), Forest.map.format) {
            verification, _, leaf in
            for row in 0..<leaf.rowCount where leaf.integer(2, row) != 0 {
                verification.checkIsKnown(leaf.integer(0, row), known)
            }
        }
        for id in try connection.forest.inlineRootIDs() { checkIsKnown(Int64(id), known) }
        let schema = try connection.forest.state(Forest.schemaID).pointee.root.reference
        if !schema.isNone { try reach(schema, isNode: false) }
        for index in connection.schema.tables.indices {
            try walkTable(connection.table(index))
        }
        checkBacklinks()
        try checkSpace()
        try visitUnused()
        if let problem = pager.database.openingProblem { report(problem) }
    }

    private mutating func checkIsKnown(_ id: Int64, _ known: Set<Int64>) {
        if id == Int64(Forest.schemaID) || known.contains(id) { return }
        report("Tree \(id) has a root and belongs to no table.")
    }

    // MARK: Pages

    private mutating func reportProgress(_ pages: UInt64) throws(StorageError) {
        guard let progress else { return }
        reachedPages += pages
        runsUntilReport -= 1
        if runsUntilReport > 0 { return }
        runsUntilReport = Self.runsPerReport
        try progress(reachedPages, pager.reachedPages)
    }

    /// Counts a run as reached. Returns false if it was reached before.
    @discardableResult
    mutating func reach(_ reference: PageReference, isNode: Bool) throws(StorageError) -> Bool {
        if reference.isNone { return true }
        let pages =
            isNode
            ? try pager.node(reference).pageCount
            : PageHeader(try pager.page(reference)).pageCount
        let extent = Extent(start: reference.page, count: UInt64(pages))
        visit?(use, extent.start, extent.count)
        try reportProgress(extent.count)
        if reached.insert(extent) { return true }
        report("Page \(reference.page) is used twice.")
        areTrees = false
        return false
    }

    /// Visits each leaf of a tree once, and returns the number of their rows, which should equal
    /// the count in the root. Nil if the root was reached before.
    @discardableResult
    mutating func walkNodes(
        _ root: TreeRoot, _ format: TreeFormat,
        _ body: (inout Verification, PageReference, Node) throws(StorageError) -> Void
    ) throws(StorageError) -> Int? {
        if root.reference.isNone { return 0 }
        guard try reach(root.reference, isNode: true) else { return nil }
        let count = try walkNodes(
            root.reference, pager.root(of: root, format), format: format, body)
        if count != root.count { areTrees = false }
        return count
    }

    private mutating func walkNodes(
        _ reference: PageReference, _ node: Node, format: TreeFormat,
        _ body: (inout Verification, PageReference, Node) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        if node.level == 0 {
            try body(&self, reference, node)
            return node.rowCount
        }
        var total = 0
        for row in 0..<node.rowCount {
            let child = node.child(row)
            guard try reach(child, isNode: true) else { continue }
            let childNode = try pager.child(of: node, row, shape: format)
            let count = try walkNodes(child, childNode, format: format, body)
            if count != node.childCount(row) {
                areTrees = false
                report(
                    "Page \(reference.page) counts \(node.childCount(row)) rows below page "
                        + "\(child.page), which has \(count).")
            }
            total += count
        }
        return total
    }

    // MARK: Tables

    private mutating func walkTable(_ table: Table) throws(StorageError) {
        use = PageUse(table: table.index, part: .objects)
        let root = try table.root
        var previous: Int64?
        let count = try walkNodes(root, .cluster) {
            verification, reference, leaf throws(StorageError) in
            try verification.walkLeaf(table, reference, leaf: leaf, after: &previous)
        }
        if let count, count != root.count {
            report("Table '\(table.stored.name)' counts \(root.count) objects and has \(count).")
        }
        use.part = .primaryKeys
        try walkPrimaryKeys(table, objects: root.count)
        use.part = .indexes
        try walkIndexes(table, objects: root.count)
        use.part = .backlinks
        for position in table.stored.columns.indices
        where table.stored.columns[position].backlinks != nil {
            try walkSeveral(table, position)
        }
    }

    private mutating func walkLeaf(
        _ table: Table, _ reference: PageReference, leaf: Node, after previous: inout Int64?
    ) throws(StorageError) {
        for column in 0..<leaf.columnCount where leaf.isSpilled(column) {
            let spill = leaf.spillReference(column)
            try reach(spill, isNode: true)
            if try pager.node(spill).rowCount != leaf.rowCount {
                report("Page \(spill.page) has another number of rows than its leaf.")
            }
        }
        for row in 0..<leaf.rowCount {
            let key = leaf.objectKey(row)
            if let previous, key.rawValue <= previous {
                report("Page \(reference.page): object keys do not ascend.")
            }
            previous = key.rawValue
            try walkObject(table, key, at: RowLocation(leaf: leaf, row: row))
        }
    }

    private mutating func walkObject(_ table: Table, _ key: ObjectKey, at location: RowLocation)
        throws(StorageError)
    {
        if try table.location(of: key) == nil {
            report("Object \(key.rawValue) of '\(table.stored.name)' cannot be found by its key.")
        }
        use.part = .values
        defer { use.part = .objects }
        for column in table.stored.columns.indices {
            if column < table.propertyCount {
                try walkValue(table, column, of: key, at: location)
            } else {
                try Backlinks.forEach(column, key, in: table) { _, count in
                    unmatched[.init(table: table.index, column: column), default: 0] &-= count
                    return true
                }
            }
        }
        if table.isEmbedded, try table.backlinkCount(of: key) != 1 {
            report(
                "Object \(key.rawValue) of '\(table.stored.name)' is embedded and has "
                    + "\(try table.backlinkCount(of: key)) owners.")
        }
    }

    private mutating func walkPrimaryKeys(_ table: Table, objects: Int) throws(StorageError) {
        guard let column = table.primaryKeyColumn else { return }
        let state = try table.primaryKeys.state.pointee
        var entries = state.extra == 0 ? 0 : 1
        entries += try walkNodes(state.root, table.primaryKeys.map.format) { _, _, _ in } ?? 0
        if entries != objects {
            report("'\(table.stored.name)' has \(objects) objects and \(entries) primary keys.")
        }
        guard areTrees else { return }
        for position in 0..<objects {
            let location = try table.location(at: position)
            let key = table.key(at: location)
            if try table.find(primaryKey: try table.value(column, at: location)) != key {
                report("Object \(key.rawValue) cannot be found by its primary key.")
            }
        }
    }

    private mutating func walkSeveral(_ table: Table, _ position: Int) throws(StorageError) {
        let id = table.stored.columns[position].backlinks!.severalTreeID
        let root = try connection.forest.state(id).pointee.root
        var targets: Set<Int64> = []
        try walkNodes(root, Backlinks.severalMap.format) { _, _, leaf in
            for row in 0..<leaf.rowCount { targets.insert(leaf.integer(0, row)) }
        }
        for target in targets where try !table.contains(ObjectKey(rawValue: target)) {
            report("Backlinks are kept for object \(target), which does not exist.")
        }
    }

    // MARK: Space

    /// Checks that every page is reached, free, or waiting for a reader. Takes the write lock, so
    /// that the free map does not change meanwhile.
    private mutating func checkSpace() throws(StorageError) {
        if connection.database.isReadOnly || pager.isInWriteTransaction { return }
        let version = pager.version
        try connection.beginWrite()
        defer { connection.rollback() }
        // Another writer has committed: the reached pages belong to an older version than the free
        // map.
        guard pager.version == version else { return }
        problems += pager.spaceProblems(reached: reached)
    }

    /// Tells `visit` which pages are free, and which are kept for other versions.
    private func visitUnused() throws(StorageError) {
        guard let visit, !pager.isInWriteTransaction,
            let space = try connection.database.freeSpace()
        else { return }
        func tell(_ extents: some Sequence<Extent>, _ part: PageUse.Part) {
            for extent in extents where !extent.isEmpty {
                visit(PageUse(table: nil, part: part), extent.start, extent.count)
            }
        }
        tell(space.free, .free)
        tell([space.current], .free)
        var kept = ExtentSet()
        for extent in space.waitingExtents where !extent.isEmpty { _ = kept.insert(extent) }
        // The newest version may have freed what this one reaches.
        for run in reached {
            var rest = run
            while !rest.isEmpty {
                let count = max(1, kept.removeHead(of: rest))
                rest = Extent(start: rest.start + count, count: rest.count - count)
            }
        }
        tell(kept, .kept)
    }
}

/// What a page is used for by a version, or why it is not.
package struct PageUse: Hashable {
    package enum Part: String, CaseIterable {
        /// The roots of all trees, and the schema.
        case roots
        /// Leaves and branches with objects.
        case objects
        /// Long values, and long collections.
        case values
        case primaryKeys, indexes, backlinks
        /// Free for the next write transaction.
        case free
        /// Freed, but reached by other versions that readers have pinned, or that a power loss may
        /// lead back to.
        case kept
    }

    /// The number of the table; nil for what belongs to none.
    package var table: Int?
    package var part: Part
}

/// Is told of a run of pages: the number of its first page, and how many they are.
package typealias PageVisitor = (_ use: PageUse, _ start: UInt64, _ count: UInt64) -> Void

extension Connection {
    /// Checks everything that this snapshot reaches. Returns a description of each problem; an
    /// empty array means that the file is sound. Waits for the write lock at the end, because free
    /// space can only be checked while there is no writer.
    ///
    /// - Throws: `.damaged` for the first page that cannot be read at all.
    public func verify() throws(StorageError) -> [String] { try Verification.run(self) }

    /// The same, which tells `progress` on the calling thread how many pages of how many it has
    /// reached, and `visit` which, and which are not in use.
    ///
    /// - Throws: `.interrupted` if `progress` does.
    package func verify(
        progress: Database.Progress?, visit: PageVisitor? = nil
    ) throws(StorageError) -> [String] {
        try Verification.run(self, progress: progress, visit: visit)
    }
}

extension Table {
    /// The number of references from `origin` to `target` according to the backlink column.
    func backlinkCount(_ position: Int, _ target: ObjectKey, from origin: ObjectKey)
        throws(StorageError) -> Int64
    {
        var found: Int64 = 0
        try Backlinks.forEach(position, target, in: self) { candidate, count in
            if candidate == origin { found = count }
            return candidate != origin
        }
        return found
    }
}
