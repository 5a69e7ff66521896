/// The change of a list, set or map: the origin of each element. Positions in sets and maps are
/// those in their stored order.
///
/// *Kept* elements are in the same order before and after. A moved element counts as deleted and
/// inserted, and is included in ``moves`` as well.
public struct CollectionChange: Equatable, Sendable {
    /// Consecutive elements of the changed collection that have the same kind of origin.
    struct Segment: Equatable, Sendable {
        enum Origin: Equatable, Sendable {
            /// Elements that were kept. `start` is the old position of the first one.
            case kept(start: Int, isModified: Bool)
            case moved(start: Int)
            case new
        }

        var origin: Origin
        var count: Int
    }

    /// The number of elements before the change.
    public let oldCount: Int
    /// The number of elements after the change.
    public internal(set) var newCount: Int
    /// The segments in order. They cover all elements after the change.
    var segments: [Segment]

    /// Creates the change of a collection that has not been changed yet.
    init(count: Int) {
        oldCount = count
        newCount = count
        segments =
            count == 0 ? [] : [Segment(origin: .kept(start: 0, isModified: false), count: count)]
    }

    /// Creates a change from the segments in their order after the change.
    init(oldCount: Int, _ segments: [Segment]) {
        self.oldCount = oldCount
        newCount = 0
        self.segments = []
        for segment in segments { append(segment) }
    }

    mutating func append(_ segment: Segment) {
        if segment.count == 0 { return }
        newCount += segment.count
        if let last = segments.last, let both = last.joined(segment) {
            segments[segments.count - 1] = both
        } else {
            segments.append(segment)
        }
    }

    // MARK: Reading

    /// Whether nothing was changed.
    public var isEmpty: Bool { self == CollectionChange(count: oldCount) }

    /// The old positions of elements that were deleted or moved, ascending.
    public var deletions: [Range<Int>] {
        var deletions: [Range<Int>] = []
        var position = 0
        for segment in segments {
            guard case .kept(let start, _) = segment.origin else { continue }
            if position < start { deletions.append(position..<start) }
            position = start + segment.count
        }
        if position < oldCount { deletions.append(position..<oldCount) }
        return deletions
    }

    /// The new positions of elements that were inserted or moved, ascending.
    public var insertions: [Range<Int>] {
        var insertions: [Range<Int>] = []
        forEachSegment { position, segment in
            if case .kept = segment.origin { return }
            if let last = insertions.last, last.upperBound == position {
                insertions[insertions.count - 1] = last.lowerBound..<position + segment.count
            } else {
                insertions.append(position..<position + segment.count)
            }
        }
        return insertions
    }

    /// The old positions of kept elements that were replaced by another value or set to the same
    /// value, ascending.
    public var modifications: [Range<Int>] {
        segments.compactMap {
            guard case .kept(let start, true) = $0.origin else { return nil }
            return start..<start + $0.count
        }
    }

    /// The old and new positions of moved elements. They are also included in the deletions and
    /// insertions.
    public var moves: [(from: Int, to: Int)] {
        var moves: [(from: Int, to: Int)] = []
        forEachSegment { position, segment in
            guard case .moved(let start) = segment.origin else { return }
            for offset in 0..<segment.count { moves.append((start + offset, position + offset)) }
        }
        return moves
    }

    func forEachSegment(_ body: (_ position: Int, Segment) -> Void) {
        var position = 0
        for segment in segments {
            body(position, segment)
            position += segment.count
        }
    }
}

extension CollectionChange.Segment {
    func split(at count: Int) -> (left: Self, right: Self) {
        var (left, right) = (self, self)
        left.count = count
        right.count -= count
        switch origin {
        case .kept(let start, let isModified):
            right.origin = .kept(start: start + count, isModified: isModified)
        case .moved(let start): right.origin = .moved(start: start + count)
        case .new: break
        }
        return (left, right)
    }

    /// Returns both segments as one, or nil if `next` does not continue this segment.
    func joined(_ next: Self) -> Self? {
        switch (origin, next.origin) {
        case (.new, .new): break
        case (.kept(let start, let isModified), .kept(let nextStart, let isNextModified)):
            guard nextStart == start + count, isModified == isNextModified else { return nil }
        case (.moved(let start), .moved(let nextStart)):
            guard nextStart == start + count else { return nil }
        default: return nil
        }
        return Self(origin: origin, count: count + next.count)
    }

    var modified: Self {
        guard case .kept(let start, _) = origin else { return self }
        return Self(origin: .kept(start: start, isModified: true), count: count)
    }

    var moved: Self {
        guard case .kept(let start, _) = origin else { return self }
        return Self(origin: .moved(start: start), count: count)
    }
}
