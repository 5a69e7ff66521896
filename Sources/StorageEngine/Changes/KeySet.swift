/// A set of object keys, stored as ranges: a million objects inserted in a row are one range.
public struct KeySet: Equatable, Sendable {
    /// The keys as ranges: ascending, not empty, and with gaps between them.
    public private(set) var ranges: [Range<Int64>] = []

    public init() {}

    init(_ range: Range<Int64>) {
        if !range.isEmpty { ranges = [range] }
    }

    /// Creates a set of keys that may be in any order, and the same more than once.
    public init(_ keys: some Sequence<ObjectKey>) {
        self.init(unsorted: keys.map { $0.rawValue..<$0.rawValue + 1 })
    }

    /// Creates a set from ranges that may be in any order and overlap.
    init(unsorted: [Range<Int64>]) {
        for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    /// Adds a range that begins no earlier than the last one.
    private mutating func append(_ range: Range<Int64>) {
        if range.isEmpty { return }
        if let last = ranges.last, last.upperBound >= range.lowerBound {
            ranges[ranges.count - 1] =
                last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }

    /// Adds a key that is greater than all others.
    mutating func append(_ key: ObjectKey) { append(key.rawValue..<key.rawValue + 1) }

    // MARK: Reading

    public var isEmpty: Bool { ranges.isEmpty }

    /// The keys in ascending order.
    public var keys: Keys { Keys(ranges) }

    /// The keys of a set. A type of its own, because other modules cannot specialize one that is
    /// built from lazy sequences.
    public struct Keys: Sequence, IteratorProtocol {
        private let ranges: [Range<Int64>]
        private var index = 0
        private var upcoming: Int64

        fileprivate init(_ ranges: [Range<Int64>]) {
            self.ranges = ranges
            upcoming = ranges.first?.lowerBound ?? 0
        }

        public mutating func next() -> ObjectKey? {
            guard index < ranges.count else { return nil }
            defer {
                upcoming += 1
                if upcoming == ranges[index].upperBound {
                    index += 1
                    if index < ranges.count { upcoming = ranges[index].lowerBound }
                }
            }
            return ObjectKey(rawValue: upcoming)
        }
    }

    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Whether the set contains `key`, in O(log n).
    public func contains(_ key: ObjectKey) -> Bool {
        let index = ranges.partitionPoint { $0.upperBound <= key.rawValue }
        return index < ranges.count && ranges[index].contains(key.rawValue)
    }

    // MARK: Combining

    public mutating func formUnion(_ other: KeySet) {
        if other.isEmpty { return }
        self = KeySet(unsorted: ranges + other.ranges)
    }

    public mutating func subtract(_ other: KeySet) {
        if isEmpty || other.isEmpty { return }
        var rest: [Range<Int64>] = []
        for range in ranges {
            other.forEachPiece(of: range) { piece, isContained in
                if !isContained { rest.append(piece) }
            }
        }
        ranges = rest
    }

    /// Splits `range` at the bounds of this set's ranges, and visits the pieces in order.
    func forEachPiece(of range: Range<Int64>, _ body: (Range<Int64>, _ isContained: Bool) -> Void) {
        var start = range.lowerBound
        var index = ranges.partitionPoint { $0.upperBound <= start }
        while start < range.upperBound {
            guard index < ranges.count, ranges[index].lowerBound < range.upperBound else {
                return body(start..<range.upperBound, false)
            }
            let own = ranges[index]
            if start < own.lowerBound { body(start..<own.lowerBound, false) }
            let end = min(own.upperBound, range.upperBound)
            body(max(start, own.lowerBound)..<end, true)
            start = end
            index += 1
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The end of the leading elements that satisfy the condition. No later element may satisfy it.
    func partitionPoint<Failure>(
        _ belongsBefore: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if try belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
