/// Finds operations that lead from one version of a list, set or map to another.
///
/// Leaves at either end that are the same pages in both versions are not read. Equal elements at
/// either end are skipped next. `SequenceDiff` compares the rest: elements of lists and sets by
/// value, those of maps by key. Where equally many elements of a list were removed and inserted at
/// the same place, they count as replaced.
struct CollectionComparison {
    /// The length above which the differing middle parts are not searched for common elements:
    /// everything in them counts as replaced. This bounds time (about 0.1 s) and memory.
    private static let longestSearch = 1 << 17

    static func change(
        from old: StoredCollection, to new: StoredCollection
    ) throws(StorageError) -> CollectionChange {
        let (before, after) = (try CollectionContents(old), try CollectionContents(new))
        let skipped = before.commonEnds(after)
        var comparison = CollectionComparison(isList: new.format.collection == .list)
        comparison.keep(skipped.first.elements)
        var (oldBudget, newBudget) = (RowBudget(old.pager), RowBudget(new.pager))
        comparison.compare(
            try before.elements(without: skipped, &oldBudget),
            try after.elements(without: skipped, &newBudget))
        comparison.keep(skipped.last.elements)
        return CollectionChange(oldCount: before.count, comparison.segments)
    }

    private typealias Elements = ArraySlice<CollectionContents.Element>

    /// Whether the collection is a list. In a set or map, elements are identified by value or key,
    /// so none replaces another.
    private let isList: Bool
    private var segments: [CollectionChange.Segment] = []
    private var oldPosition = 0

    private init(isList: Bool) { self.isList = isList }

    private mutating func keep(_ count: Int, isModified: Bool = false) {
        segments.append(
            CollectionChange.Segment(
                origin: .kept(start: oldPosition, isModified: isModified), count: count))
        oldPosition += count
    }

    /// Adds elements that have nothing in common with the elements at their place in the old
    /// version.
    private mutating func replace(_ old: Int, by new: Int) {
        if isList, old == new { return keep(old, isModified: true) }
        segments.append(CollectionChange.Segment(origin: .new, count: new))
        oldPosition += old
    }

    private mutating func compare(
        _ old: [CollectionContents.Element], _ new: [CollectionContents.Element]
    ) {
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < shorter, old[first] == new[first] { first += 1 }
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] {
            last += 1
        }
        keep(first)
        compareMiddle(old[first..<old.count - last], new[first..<new.count - last])
        keep(last)
    }

    private mutating func compareMiddle(_ old: Elements, _ new: Elements) {
        var (left, right) = (0, 0)
        for match in matches(old, new) {
            replace(match.old - left, by: match.new - right)
            let isSame =
                old[old.startIndex + match.old] == new[new.startIndex + match.new]
            keep(1, isModified: !isSame)
            (left, right) = (match.old + 1, match.new + 1)
        }
        replace(old.count - left, by: new.count - right)
    }

    private func matches(_ old: Elements, _ new: Elements) -> [(old: Int, new: Int)] {
        if max(old.count, new.count) > Self.longestSearch { return [] }
        if old.first?.key == nil, new.first?.key == nil { return SequenceDiff.matches(old, new) }
        return SequenceDiff.matches(old.map(\.key), new.map(\.key))
    }
}
