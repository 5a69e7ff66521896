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
    /// - Parameters:
    ///   - isModified: Whether an element that both have counts as modified; nil if none does.
    ///   - matching: Pairs the equal elements of two sequences; nil for the usual way.
    init<Element: Hashable>(
        from old: [Element], to new: [Element], isModified: ((Element) throws -> Bool)?,
        matching: ((ArraySlice<Element>, ArraySlice<Element>) -> [(old: Int, new: Int)])? = nil
    ) throws {
        self.init()
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < shorter, old[first] == new[first] { first += 1 }
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] {
            last += 1
        }
        let (oldEnd, newEnd) = (old.count - last, new.count - last)
        let (oldRest, newRest) = (old[first..<oldEnd], new[first..<newEnd])
        let matches = matching?(oldRest, newRest) ?? SequenceDiff.matches(oldRest, newRest)
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

    /// The positions of objects that differ between two states of all objects of a class, in the
    /// order of their keys.
    ///
    /// O(log n) for each range of adjacent keys, and O(1) for each object.
    ///
    /// - Parameters:
    ///   - deletions: Objects that only the old state has.
    ///   - insertions: Objects that only the new state has.
    ///   - modifications: Objects that both have and that count as modified.
    init(
        from old: Table, to new: Table, deletions: KeySet, insertions: KeySet,
        modifications: KeySet
    ) throws {
        self.deletions = try Self.positions(of: deletions, in: old)
        self.insertions = try Self.positions(of: insertions, in: new)
        self.modifications = try Self.positions(
            of: modifications, in: planted("modified-at-new-position") ? new : old)
    }

    /// Returns the positions of objects that exist. Of adjacent keys they are adjacent.
    private static func positions(of keys: KeySet, in table: Table) throws -> [Int] {
        var positions: [Int] = []
        for range in keys.ranges {
            guard let first = try table.position(of: ObjectKey(rawValue: range.lowerBound)) else {
                continue
            }
            positions.append(contentsOf: first..<first + range.count)
        }
        return positions
    }
}
