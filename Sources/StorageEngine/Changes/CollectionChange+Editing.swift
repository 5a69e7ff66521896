/// Single operations that are applied one after another.
extension CollectionChange {
    mutating func insert(at index: Int) {
        if index == newCount { return append(Segment(origin: .new, count: 1)) }
        let place = cut(at: index)
        segments.insert(Segment(origin: .new, count: 1), at: place)
        newCount += 1
        join(around: place)
    }

    mutating func remove(at index: Int) {
        let place = cut(out: index)
        segments.remove(at: place)
        newCount -= 1
        join(around: place)
    }

    mutating func set(at index: Int) {
        let place = cut(out: index)
        if case .kept(let start, _) = segments[place].origin {
            segments[place].origin = .kept(start: start, isModified: true)
        }
        join(around: place)
    }

    /// Moves an element. `to` is its position afterwards.
    mutating func move(from: Int, to: Int) {
        let origin = segments[cut(out: from)].origin
        remove(at: from)
        insert(at: to)
        switch origin {
        case .kept(let start, _), .moved(let start):
            let place = cut(out: to)
            segments[place].origin = .moved(start: start)
            join(around: place)
        case .new: break
        }
    }

    mutating func removeAll() {
        segments = []
        newCount = 0
    }

    /// Splits a segment so that one begins at `index`, and returns the index of that segment.
    private mutating func cut(at index: Int) -> Int {
        var position = 0
        for place in segments.indices {
            if position == index { return place }
            let count = segments[place].count
            if index < position + count {
                let (left, right) = segments[place].split(at: index - position)
                segments[place] = left
                segments.insert(right, at: place + 1)
                return place + 1
            }
            position += count
        }
        precondition(position == index, "position out of range")
        return segments.count
    }

    /// Makes one element a segment of its own, and returns the index of that segment.
    private mutating func cut(out index: Int) -> Int {
        precondition(index >= 0 && index < newCount, "position out of range")
        let place = cut(at: index)
        if segments[place].count > 1 {
            let (left, right) = segments[place].split(at: 1)
            segments[place] = left
            segments.insert(right, at: place + 1)
        }
        return place
    }

    /// Merges the segment at `place` with its neighbours where one continues the other.
    private mutating func join(around place: Int) {
        for right in [place + 1, place] where right > 0 && right < segments.count {
            if let both = segments[right - 1].joined(segments[right]) {
                segments[right - 1] = both
                segments.remove(at: right)
            }
        }
    }
}

// MARK: Combining

extension CollectionChange {
    /// Returns this change followed by `next` as one change.
    func followed(by next: CollectionChange) -> CollectionChange {
        precondition(next.oldCount == newCount, "the second change is of another collection")
        var ends: [Int] = []
        forEachSegment { position, segment in ends.append(position + segment.count) }
        var combined: [Segment] = []
        for segment in next.segments {
            switch segment.origin {
            case .new: combined.append(segment)
            case .kept(let start, let isModified):
                forEachPiece(of: start..<start + segment.count, ends) { piece in
                    combined.append(isModified ? piece.modified : piece)
                }
            case .moved(let start):
                forEachPiece(of: start..<start + segment.count, ends) { piece in
                    combined.append(piece.moved)
                }
            }
        }
        return CollectionChange(oldCount: oldCount, combined)
    }

    /// Visits the segments' parts that cover a range of the new collection. `ends` holds the end of
    /// each segment in the new collection.
    private func forEachPiece(of range: Range<Int>, _ ends: [Int], _ body: (Segment) -> Void) {
        var position = range.lowerBound
        var place = ends.partitionPoint { $0 <= position }
        while position < range.upperBound {
            let start = ends[place] - segments[place].count
            let end = min(ends[place], range.upperBound)
            let (_, right) = segments[place].split(at: position - start)
            body(right.split(at: end - position).left)
            position = end
            place += 1
        }
    }
}
