/// The objects that a plan has found, with the state needed to refresh them incrementally.
///
/// A page never changes once its version exists: a subtree whose birth is not after the version is
/// unchanged. So only younger leaves are tested again.
public struct QueryMatches {
    /// The keys of the matching objects, ascending.
    public fileprivate(set) var keys: PackedKeys
    /// The number of leaves tested by the search or by the last refresh.
    public fileprivate(set) var askedLeaves: Int
    fileprivate var state: State

    /// The state of the table at the time of the search or the last refresh.
    fileprivate struct State {
        let version: UInt64
        /// The number of rollbacks so far if a write transaction was open, or if the version was
        /// not known to be published; otherwise nil. After a rollback, its version may be used
        /// again with other contents, and so may its base version, as long as that is not durable.
        let rollbackCount: Int?
        let objectCount: Int
        /// The key of the next object to be inserted.
        let nextKey: Int64
        /// The root of the table's tree.
        let root: PageReference

        init(_ table: Table) throws(StorageError) {
            try table.connection.removeDeletedRows()
            let tree = try table.state.pointee
            version = table.pager.version
            let connection = table.connection
            rollbackCount =
                connection.isInWriteTransaction || connection.isUnpublished
                ? connection.rollbackCount : nil
            objectCount = tree.root.count
            nextKey = tree.extra
            root = tree.root.reference
        }

        /// Whether this state's version is part of the history of a later state.
        func precedes(_ later: State, _ connection: Connection) -> Bool {
            if version > later.version { return false }
            return rollbackCount == nil || rollbackCount == connection.rollbackCount
        }
    }
}

/// Refreshing matches after changes.
extension QueryPlan {
    /// Whether ``mend(_:)`` may skip unchanged objects, because the condition tests only their own
    /// properties.
    public var isMendable: Bool { root.asksOwnRowOnly && !matchesEverything }

    /// Finds the objects that match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches() throws(StorageError) -> QueryMatches {
        let state = try QueryMatches.State(table)
        let candidates = try begin()
        if let keys = matches(named: candidates) {
            return QueryMatches(keys: PackedKeys(keys), askedLeaves: 0, state: state)
        }
        var packer = KeyPacker()
        var askedLeaves = 0
        try forEachLeaf(among: candidates, keepsLeaves: false) { _, _ in
            askedLeaves += 1
        } _: { rows, scan in
            let leaf = scan.leaf
            rows.forEachRow { packer.append(leaf.objectKey($0)) }
            return true
        }
        return QueryMatches(keys: packer.finish(), askedLeaves: askedLeaves, state: state)
    }

    /// Refreshes matches found by ``matches()`` for the current state, by testing the leaves that
    /// changed since. Returns false, and changes nothing, if a new search is better.
    ///
    /// Takes time for each changed leaf and the path to it. If objects were deleted, the edges of
    /// the neighbours of all changed nodes are read as well.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func mend(_ matches: inout QueryMatches) throws(StorageError) -> Bool {
        guard isMendable else { return false }
        let state = try QueryMatches.State(table)
        guard matches.state.precedes(state, table.connection) else { return false }
        // The root is no younger than the matches, so nothing below it has changed.
        if !state.root.isNone, state.root.birth <= matches.state.version {
            matches.askedLeaves = 0
            matches.state = state
            return true
        }
        if root.namesMatchesOnly, let keys = try self.matches(named: begin()) {
            matches = QueryMatches(keys: PackedKeys(keys), askedLeaves: 0, state: state)
            return true
        }
        // Keys are never reused. So without deletions the number of objects has grown by as many as
        // the next key.
        let added = state.objectCount - matches.state.objectCount
        guard
            let changed = try ChangedParts(
                of: table, since: matches.state.version,
                hasDeletions: Int64(added) != state.nextKey - matches.state.nextKey)
        else { return false }
        // For more leaves, an index may be faster.
        if changed.leaves.count > Self.fewLeaves, try begin() != nil { return false }
        try mend(&matches.keys, changed)
        matches.askedLeaves = changed.leaves.count
        matches.state = state
        return true
    }

    private static let fewLeaves = 16

    private func mend(_ keys: inout PackedKeys, _ changed: ChangedParts) throws(StorageError) {
        try root.prepare()
        var found: ContiguousArray<Int64> = []
        // The positions to be replaced, and the ranges of `found` that replace them.
        var replacements: [(old: Range<Int>, new: Range<Int>)] = []
        var rows = RowMask()
        for part in changed.parts {
            let first = found.count
            try forEachMatch(in: changed.leaves[part.leaves], &rows) { found.append($0.rawValue) }
            // The bounds are clamped because in a malicious file keys need not ascend.
            let start = max(
                keys.lowerBound(part.keys.lowerBound), replacements.last?.old.upperBound ?? 0)
            let end = max(start, keys.lowerBound(part.keys.upperBound))
            replacements.append((start..<end, first..<found.count))
        }
        keys.replace(
            replacements.map {
                PackedKeys.Replacement(positions: $0.old, keys: found[$0.new])
            })
    }
}
