/// What a plan has found, with what it takes to find out what is different now.
///
/// Pages are never changed once their version is there: a subtree whose birth is not after the
/// version is what it was. So only leaves that are younger are asked again.
public struct QueryMatches {
    /// The objects that match, ascending.
    public fileprivate(set) var keys: PackedKeys
    /// How many leaves were asked to find them, or to mend them the last time.
    public fileprivate(set) var askedLeaves: Int
    fileprivate var state: State

    /// What the connection stood at.
    fileprivate struct State {
        let version: UInt64
        /// If a write transaction was open: how many had been rolled back. Its version may come
        /// again with other contents, and so may the version that it was based on, as long as that
        /// is not durable.
        let rollbackCount: Int?
        let objectCount: Int
        /// Objects that are inserted get it and those above.
        let nextKey: Int64
        /// Of the table's tree.
        let root: PageReference

        init(_ table: Table) throws {
            let tree = try table.state.pointee
            version = table.pager.version
            rollbackCount =
                table.pager.isInWriteTransaction ? table.connection.rollbackCount : nil
            objectCount = tree.root.count
            nextKey = tree.extra
            root = tree.root.reference
        }

        /// Whether the version is a part of the history that leads to a later state.
        func precedes(_ later: State, _ connection: Connection) -> Bool {
            if version > later.version { return false }
            return rollbackCount == nil || rollbackCount == connection.rollbackCount
        }
    }
}

/// Finding what has changed since.
extension QueryPlan {
    /// Whether ``mend(_:)`` may spare the condition for some objects: it tests their own properties
    /// only.
    public var isMendable: Bool { root.asksOwnRowOnly && !matchesEverything }

    /// The objects that match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches() throws -> QueryMatches {
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

    /// Makes matches that ``matches()`` has found those of the state at hand, by asking the leaves
    /// that changed since. Returns false, and changes nothing, where finding all anew is better.
    ///
    /// Takes time for the path to each changed leaf and for the leaf itself; if objects were deleted,
    /// for a look at the neighbours of all nodes that changed as well.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func mend(_ matches: inout QueryMatches) throws -> Bool {
        guard isMendable else { return false }
        let state = try QueryMatches.State(table)
        guard matches.state.precedes(state, table.connection) else { return false }
        if !state.root.isNone, state.root.birth <= matches.state.version {
            matches.askedLeaves = 0
            matches.state = state
            return true
        }
        if root.namesMatchesOnly, let keys = try self.matches(named: begin()) {
            matches = QueryMatches(keys: PackedKeys(keys), askedLeaves: 0, state: state)
            return true
        }
        // Keys are never used again: without deletions, there are as many objects more as keys.
        let added = state.objectCount - matches.state.objectCount
        guard
            let changed = try ChangedParts(
                of: table, since: matches.state.version,
                hasDeletions: Int64(added) != state.nextKey - matches.state.nextKey)
        else { return false }
        // An index may be faster than many leaves.
        if changed.leaves.count > Self.fewLeaves, try begin() != nil { return false }
        try mend(&matches.keys, changed)
        matches.askedLeaves = changed.leaves.count
        matches.state = state
        return true
    }

    private static let fewLeaves = 16

    private func mend(_ keys: inout PackedKeys, _ changed: ChangedParts) throws {
        try root.prepare()
        var found: ContiguousArray<Int64> = []
        // Positions of what goes, and of what comes instead among what was found.
        var replacements: [(old: Range<Int>, new: Range<Int>)] = []
        var rows = RowMask()
        for part in changed.parts {
            let first = found.count
            try forEachMatch(in: changed.leaves[part.leaves], &rows) { found.append($0.rawValue) }
            // In a file made to harm keys need not ascend.
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
