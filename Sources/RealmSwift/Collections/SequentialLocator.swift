import StorageEngine

/// Finds the rows of objects that are visited one after the other, for those who know which come
/// next.
///
/// Neighbours often lie in one leaf: that of the object before is tried first. Where they do not, the
/// next ones are looked for while one is used, so that their waits for memory overlap.
struct SequentialLocator {
    private let target: ManagedClass
    /// The connection's, which lives as long as the target's Realm.
    private let layoutStamp: UnsafeMutablePointer<UInt64>
    /// The leaf of the last object, for as long as the layout stamp is `stamp`.
    private var leaf: Node?
    /// The layout stamp for which the row that was found last is the right one.
    private(set) var stamp = UInt64.max
    /// Finds the next objects: made once a few objects in a row were not in the leaf of the one
    /// before, and given up when rows move.
    private var lookahead: RowLookahead?
    private var lookaheadStamp = UInt64.max
    /// Objects in a row that were not in the leaf of the one before.
    private var missCount = 0

    /// So many objects are found one by one: most walks are short, end early, or go from leaf to leaf.
    private static let fewMisses = 8

    init(_ target: ManagedClass) {
        self.target = target
        layoutStamp = target.realm.connection.layoutStamp
    }

    /// The row of the object that is visited at `position`; nil if it is gone.
    ///
    /// - Parameters:
    ///   - position: one more than that of the object before, or further on.
    ///   - end: up to which position the keys are known.
    ///   - keyAt: the key at a position.
    @inline(__always)
    mutating func locate(
        _ key: Int64, birth: UInt32, at position: Int, before end: Int, _ keyAt: (Int) -> Int64
    ) -> RowLocation? {
        let now = layoutStamp.pointee
        if now == stamp, let leaf, let row = Table.row(of: ObjectKey(rawValue: key), in: leaf) {
            missCount = 0
            return RowLocation(leaf: leaf, row: row)
        }
        if let location = locateAhead(now, position, end, keyAt) {
            leaf = location.leaf
            stamp = now
            return location
        }
        guard let location = target.locate(key: key, birth: birth) else { return nil }
        leaf = location.leaf
        stamp = layoutStamp.pointee
        return location
    }

    /// Forgets which objects come next, because others do.
    mutating func forgetNext() {
        lookahead = nil
        lookaheadStamp = .max
        missCount = 0
    }

    /// The row of the object that is visited now, if it was looked for while others were visited.
    @inline(__always)
    private mutating func locateAhead(
        _ now: UInt64, _ position: Int, _ end: Int, _ keyAt: (Int) -> Int64
    ) -> RowLocation? {
        if missCount < Self.fewMisses {
            missCount += 1
            return nil
        }
        if now != lookaheadStamp {
            guard lookaheadStamp == .max else { return nil }
            beginLookahead(from: position)
        }
        guard let lookahead else { return nil }
        let lastKnown = min(position + RowLookahead.distance, end)
        lookahead.skip(to: position)
        while lookahead.end < lastKnown {
            lookahead.add(ObjectKey(rawValue: keyAt(lookahead.end)))
        }
        return lookahead.location(at: position)
    }

    private mutating func beginLookahead(from position: Int) {
        // What cannot be read is told when the object itself is looked for.
        lookaheadStamp = layoutStamp.pointee
        guard let table = target.table else { return }
        lookahead = try? RowLookahead(table, from: position)
    }
}
