import StorageEngine

/// The difference between two states of an ordered collection, as positions.
struct IndexChanges: Equatable, Sendable {
    /// Positions in the old state, ascending.
    var deletions: [Int] = []
    /// Positions in the new state, ascending.
    var insertions: [Int] = []
    /// Positions in the old state of elements that are still there, ascending.
    var modifications: [Int] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

extension IndexChanges {
    /// Compares two sequences of elements. An element that is in another place among the others
    /// counts as deleted and inserted.
    ///
    /// O(n log n) for the parts between the common beginning and the common end.
    ///
    /// - Parameter isModified: Whether an element that both have counts as modified; nil if none
    ///   does.
    init<Element: Hashable>(
        from old: [Element], to new: [Element], isModified: ((Element) throws -> Bool)?
    ) throws {
        self.init()
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < shorter, old[first] == new[first] { first += 1 }
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] {
            last += 1
        }
        let (oldEnd, newEnd) = (old.count - last, new.count - last)
        let matches = SequenceDiff.matches(Array(old[first..<oldEnd]), Array(new[first..<newEnd]))
        var (nextOld, nextNew) = (first, first)
        var kept: [Int] = []
        for match in matches {
            let (oldPosition, newPosition) = (match.old + first, match.new + first)
            deletions.append(contentsOf: nextOld..<oldPosition)
            insertions.append(contentsOf: nextNew..<newPosition)
            (nextOld, nextNew) = (oldPosition + 1, newPosition + 1)
            kept.append(oldPosition)
        }
        deletions.append(contentsOf: nextOld..<oldEnd)
        insertions.append(contentsOf: nextNew..<newEnd)
        guard let isModified else { return }
        modifications =
            try (0..<first).filter { try isModified(old[$0]) }
            + kept.filter { try isModified(old[$0]) }
            + (oldEnd..<old.count).filter { try isModified(old[$0]) }
    }

    /// Compares two states of all objects of a class, in the order of their keys. The objects that
    /// are not among `candidates`, which ascend, are in both states, and were not modified.
    ///
    /// O(log n) for each candidate.
    init(
        from old: Table, to new: Table, candidates: [ObjectKey],
        isModified: ((ObjectKey) throws -> Bool)?
    ) throws {
        self.init()
        for key in candidates {
            switch try (old.position(of: key), new.position(of: key)) {
            case (let before?, nil): deletions.append(before)
            case (nil, let after?): insertions.append(after)
            case (let before?, let after?):
                if try isModified?(key) == true {
                    modifications.append(planted("modified-at-new-position") ? after : before)
                }
            case (nil, nil): break
            }
        }
    }
}
