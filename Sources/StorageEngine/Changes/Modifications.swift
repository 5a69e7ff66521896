/// The modified columns of modified objects, stored as runs of adjacent keys with the same columns:
/// one property set on a million objects in a row is one run.
public struct Modifications: Equatable, Sendable {
    struct Run: Equatable, Sendable {
        var keys: Range<Int64>
        var columns: ColumnSet
    }

    /// The runs: ascending, without overlaps, and each as long as possible.
    private(set) var runs: [Run] = []

    public init() {}

    /// Creates a set from runs that may be in any order and overlap.
    init(unsorted: [Run]) {
        if unsorted.count < 2 {
            runs = unsorted
            return
        }
        let middle = unsorted.count / 2
        self = Modifications(unsorted: Array(unsorted[..<middle]))
        merge(Modifications(unsorted: Array(unsorted[middle...])))
    }

    /// Adds a run after all others.
    private mutating func append(_ run: Run) {
        if let last = runs.last, last.keys.upperBound == run.keys.lowerBound,
            last.columns == run.columns
        {
            runs[runs.count - 1].keys = last.keys.lowerBound..<run.keys.upperBound
        } else {
            runs.append(run)
        }
    }

    /// Adds an object whose key is greater than all others.
    mutating func append(_ key: ObjectKey, _ columns: ColumnSet) {
        append(Run(keys: key.rawValue..<key.rawValue + 1, columns: columns))
    }

    // MARK: Reading

    public var isEmpty: Bool { runs.isEmpty }

    /// The modified objects in ascending order of their keys, with their modified columns.
    public var objects: [(key: ObjectKey, columns: ColumnSet)] {
        runs.flatMap { run in
            run.keys.map { (key: ObjectKey(rawValue: $0), columns: run.columns) }
        }
    }

    /// Returns the objects whose modified columns satisfy a condition, which is asked once for each
    /// run of adjacent objects with the same columns.
    public func keys(where condition: (ColumnSet) -> Bool) -> KeySet {
        KeySet(unsorted: runs.filter { condition($0.columns) }.map(\.keys))
    }

    /// The number of modified objects.
    public var count: Int { runs.reduce(0) { $0 + $1.keys.count } }

    /// Returns the modified columns of an object; empty if it was not modified. O(log n).
    public func columns(of key: ObjectKey) -> ColumnSet {
        let index = runs.partitionPoint { $0.keys.upperBound <= key.rawValue }
        guard index < runs.count, runs[index].keys.contains(key.rawValue) else {
            return ColumnSet()
        }
        return runs[index].columns
    }

    // MARK: Combining

    /// Adds the modifications in `other`. An object in both gets the union of the columns.
    mutating func merge(_ other: Modifications) {
        if other.isEmpty { return }
        if let last = runs.last, let first = other.runs.first,
            last.keys.upperBound > first.keys.lowerBound
        {
            mergeOverlapping(other)
        } else {
            for run in other.runs { append(run) }
        }
    }

    private mutating func mergeOverlapping(_ other: Modifications) {
        var (left, right) = (RunCursor(runs), RunCursor(other.runs))
        runs.removeAll(keepingCapacity: true)
        while let start = [left.start, right.start].compactMap({ $0 }).min() {
            let end = min(left.end(from: start), right.end(from: start))
            var columns = left.columns(at: start)
            columns.formUnion(right.columns(at: start))
            append(Run(keys: start..<end, columns: columns))
            left.advance(to: end)
            right.advance(to: end)
        }
    }

    mutating func remove(_ keys: KeySet) {
        if isEmpty || keys.isEmpty { return }
        let old = runs
        runs.removeAll(keepingCapacity: true)
        for run in old {
            keys.forEachPiece(of: run.keys) { piece, isContained in
                if !isContained { append(Run(keys: piece, columns: run.columns)) }
            }
        }
    }
}

/// A cursor over runs that can stop within a run.
private struct RunCursor {
    private let runs: [Modifications.Run]
    private var index = 0
    private var position = Int64.min

    init(_ runs: [Modifications.Run]) { self.runs = runs }

    /// The next key that is in a run; nil at the end.
    var start: Int64? {
        index < runs.count ? max(position, runs[index].keys.lowerBound) : nil
    }

    /// The end of the keys from `key` on that have the same columns as `key`, which must not be
    /// after `start`.
    func end(from key: Int64) -> Int64 {
        guard index < runs.count else { return .max }
        let keys = runs[index].keys
        return key < keys.lowerBound ? keys.lowerBound : keys.upperBound
    }

    func columns(at key: Int64) -> ColumnSet {
        index < runs.count && runs[index].keys.contains(key) ? runs[index].columns : ColumnSet()
    }

    mutating func advance(to key: Int64) {
        position = key
        if index < runs.count, runs[index].keys.upperBound <= key { index += 1 }
    }
}
