/// Matches the elements of two sequences.
///
/// The n-th occurrence of a value in one sequence is paired with its n-th occurrence in the other.
/// Of these pairs, a longest set that ascends in both sequences is kept (patience sorting). This
/// takes O(n log n) for all sequences, and the result is minimal if no value occurs twice, as in
/// most lists of links. Myers's algorithm always finds a minimal result, but takes time
/// proportional to length times differences: seconds for a list whose contents were all replaced.
public enum SequenceDiff {
    /// Returns the positions of matching elements, ascending in both sequences.
    ///
    /// Public and inlinable, because it takes ten times as long where it is not specialized.
    @inlinable
    public static func matches<Element: Hashable>(
        _ old: ArraySlice<Element>, _ new: ArraySlice<Element>
    ) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        pairs.reserveCapacity(min(old.count, new.count))
        // For each value, its first position in `new` without a partner, and for each position, the
        // next one of the same value.
        var first = [Element: Int](minimumCapacity: new.count)
        var next = [Int](repeating: -1, count: new.count)
        var position = new.count
        while position > 0 {
            position -= 1
            let element = new[new.startIndex + position]
            if let following = first.updateValue(position, forKey: element) {
                next[position] = following
            }
        }
        for index in old.indices {
            guard let place = first.index(forKey: old[index]) else { continue }
            let partner = first.values[place]
            if partner < 0 { continue }
            first.values[place] = next[partner]
            pairs.append((index - old.startIndex, partner))
        }
        return longestAscending(pairs)
    }

    @inlinable
    public static func matches<Element: Hashable>(
        _ old: [Element], _ new: [Element]
    ) -> [(old: Int, new: Int)] { matches(old[...], new[...]) }

    /// Does the same for object keys. If they are dense, as they usually are, their positions are
    /// looked up in an array, which takes a fifth of the time.
    public static func matches(
        keys old: ArraySlice<ObjectKey>, _ new: ArraySlice<ObjectKey>
    ) -> [(old: Int, new: Int)] {
        var (first, last) = (Int64.max, Int64.min)
        for key in new { (first, last) = (min(first, key.rawValue), max(last, key.rawValue)) }
        guard !new.isEmpty, new.count < Int32.max,
            last.subtractingReportingOverflow(first).partialValue.magnitude < new.count * 16
        else { return matches(old, new) }
        var pairs: [(old: Int, new: Int)] = []
        pairs.reserveCapacity(min(old.count, new.count))
        // As above; 0 is no position.
        var heads = [Int32](repeating: 0, count: Int(last - first) + 1)
        var next = [Int32](repeating: 0, count: new.count + 1)
        for position in (1...new.count).reversed() {
            let place = Int(new[new.startIndex + position - 1].rawValue - first)
            next[position] = heads[place]
            heads[place] = Int32(position)
        }
        for index in old.indices {
            let key = old[index].rawValue
            if key < first || key > last { continue }
            let partner = Int(heads[Int(key - first)])
            if partner == 0 { continue }
            heads[Int(key - first)] = next[partner]
            pairs.append((index - old.startIndex, partner - 1))
        }
        return longestAscending(pairs)
    }

    /// Returns the longest subsequence of `pairs` whose `new` positions ascend. Their `old`
    /// positions ascend already.
    @usableFromInline
    static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        /// For each length, the pair with the least last position of all ascending subsequences of
        /// that length.
        var ends: [Int] = []
        var predecessors = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            let length = ends.partitionPoint { pairs[$0].new < pair.new }
            if length > 0 { predecessors[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var longest: [(old: Int, new: Int)] = []
        var index = ends.last ?? -1
        while index >= 0 {
            longest.append(pairs[index])
            index = predecessors[index]
        }
        return longest.reversed()
    }
}
