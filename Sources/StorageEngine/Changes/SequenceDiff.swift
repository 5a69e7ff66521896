/// Which elements of two sequences belong together.
///
/// The n-th occurrence of a value in one is taken for the n-th occurrence in the other; of these
/// pairs, a longest set that ascends in both is kept (patience sorting). O(n log n) whatever the
/// sequences are, and minimal where no value occurs twice, as in most lists of links. The usual
/// algorithm of Myers is minimal for all, but takes time in proportion to length times
/// differences: seconds for a list that was filled anew.
enum SequenceDiff {
    /// Positions of equal elements, ascending in both sequences.
    static func matches<Element: Hashable>(
        _ old: some RandomAccessCollection<Element>, _ new: some RandomAccessCollection<Element>
    ) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        // For each value its first position that has no partner yet, and for each position the next
        // one of the same value.
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

    /// The longest part of `pairs`, whose first halves ascend, whose second halves ascend too.
    private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)]
    {
        /// For each length, the pair with the least end of all ascending sequences of this length.
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
