/// Matches the elements of two sequences.
///
/// The n-th occurrence of a value in one sequence is paired with its n-th occurrence in the other.
/// Of these pairs, a longest set that ascends in both sequences is kept (patience sorting). This
/// takes O(n log n) for all sequences, and the result is minimal if no value occurs twice, as in
/// most lists of links. Myers's algorithm always finds a minimal result, but takes time
/// proportional to length times differences: seconds for a list whose contents were all replaced.
package enum SequenceDiff {
    /// Returns the positions of matching elements, ascending in both sequences.
    package static func matches<Element: Hashable>(
        _ old: some RandomAccessCollection<Element>, _ new: some RandomAccessCollection<Element>
    ) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        // For each value, its first position in `new` without a partner, and for each position, the
        // next one of the same value.
        var first: [Element: Int] = [:]
        var next = [Int](repeating: -1, count: new.count)
        for (position, element) in zip((0..<new.count).reversed(), new.reversed()) {
            if let following = first.updateValue(position, forKey: element) {
                next[position] = following
            }
        }
        for (position, element) in old.enumerated() {
            guard let partner = first[element], partner >= 0 else { continue }
            first[element] = next[partner]
            pairs.append((position, partner))
        }
        return longestAscending(pairs)
    }

    /// Returns the longest subsequence of `pairs` whose `new` positions ascend. Their `old`
    /// positions ascend already.
    private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)]
    {
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
