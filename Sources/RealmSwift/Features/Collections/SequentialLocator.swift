import StorageEngine

/// A locator of the rows of objects that are visited in sequence, for callers that know the next
/// keys.
///
/// Neighbors are often in the same leaf, so the leaf of the previous object is tried first. If they
/// are not, the following objects are located ahead of time, so that their memory accesses overlap.
struct SequentialLocator {
    private let target: ManagedClass
    /// The connection's layout stamp. The connection lives as long as the target's Realm.
    private let layoutStamp: UnsafeMutablePointer<UInt64>
    /// The leaf of the last object, valid while the layout stamp is `stamp`; nil if it has rows of
    /// deleted objects, among which the next one may be.
    private var leaf: Node?
    /// The layout stamp for which the last location is valid.
    private(set) var stamp = UInt64.max
    /// The lookahead for the next objects. It is created after several consecutive misses, and
    /// discarded when rows move.
    private var lookahead: RowLookahead?
    private var lookaheadStamp = UInt64.max
    /// The number of consecutive objects that were not in the leaf of the previous one.
    private var missCount = 0

    /// The number of objects that are located one by one first, because most iterations are short,
    /// end early, or proceed leaf by leaf.
    private static let fewMisses = 8

    init(_ target: ManagedClass) {
        self.target = target
        layoutStamp = target.realm.connection.layoutStamp
    }

    /// Returns the row of the object at `position`; nil if it was deleted.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - birth: The generation in which the caller obtained the key.
    ///   - position: The position of the object. It is greater than the position of the previous
    ///     call.
    ///   - end: The end of the positions whose keys are known.
    ///   - keyAt: A function that returns the key at a position.
    @inline(__always)
    mutating func locate(
        _ key: Int64, birth: UInt32, at position: Int, before end: Int, _ keyAt: (Int) -> Int64
    ) -> RowLocation? {
        let now = layoutStamp.pointee
        if now == stamp, let leaf,
            let row = Table.row(of: ObjectKey(rawValue: key), inCurrent: leaf)
        {
            missCount = 0
            return RowLocation(leaf: leaf, row: row)
        }
        if let location = locateAhead(now, position, before: end, keyAt) {
            leaf = location.leaf
            stamp = now
            return location
        }
        guard let location = target.locate(key: key, birth: birth) else { return nil }
        leaf = target.withTable { $0.hasDeletedRows } ? nil : location.leaf
        stamp = layoutStamp.pointee
        return location
    }

    /// Discards the lookahead, because the next objects are different ones.
    mutating func forgetNext() {
        lookahead = nil
        lookaheadStamp = .max
        missCount = 0
    }

    /// Returns the row of the current object if the lookahead has located it.
    @inline(__always)
    private mutating func locateAhead(
        _ now: UInt64, _ position: Int, before end: Int, _ keyAt: (Int) -> Int64
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
        // An error is reported when the object itself is located.
        lookaheadStamp = layoutStamp.pointee
        guard let table = target.table else { return }
        lookahead = try? RowLookahead(table, from: position)
    }
}
