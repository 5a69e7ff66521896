/// Finds operations that lead from one version of a list to another.
///
/// Leaves at both ends that are the same pages are not read, then equal elements at both ends are
/// left out; what remains is compared by `SequenceDiff`. Where as many elements went as came, in
/// one place, they count as replaced.
struct ListComparison {
    /// Longer remainders are not searched for what they have in common: everything there counts as
    /// replaced. It bounds time (some 0.1 s) and memory.
    private static let longestSearch = 1 << 17

    static func change(from old: ListHandle, to new: ListHandle) throws -> ListChange {
        let (old, new) = (try ListContents(old), try ListContents(new))
        let skipped = old.commonEnds(new)
        let (left, right) = (try old.elements(without: skipped), try new.elements(without: skipped))
        var comparison = ListComparison()
        comparison.keep(skipped.first.elements)
        comparison.compare(left, right)
        comparison.keep(skipped.last.elements)
        return ListChange(oldCount: old.count, comparison.segments)
    }

    private var segments: [ListChange.Segment] = []
    private var oldPosition = 0

    private mutating func keep(_ count: Int, isModified: Bool = false) {
        segments.append(
            ListChange.Segment(
                origin: .kept(start: oldPosition, isModified: isModified), count: count))
        oldPosition += count
    }

    /// Elements that have nothing in common.
    private mutating func replace(_ old: Int, by new: Int) {
        if old == new { return keep(old, isModified: true) }
        segments.append(ListChange.Segment(origin: .new, count: new))
        oldPosition += old
    }

    private mutating func compare(_ old: [ListContents.Element], _ new: [ListContents.Element]) {
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

    private mutating func compareMiddle(
        _ old: ArraySlice<ListContents.Element>, _ new: ArraySlice<ListContents.Element>
    ) {
        var (left, right) = (0, 0)
        if max(old.count, new.count) <= Self.longestSearch {
            for match in SequenceDiff.matches(old, new) {
                replace(match.old - left, by: match.new - right)
                keep(1)
                (left, right) = (match.old + 1, match.new + 1)
            }
        }
        replace(old.count - left, by: new.count - right)
    }
}
