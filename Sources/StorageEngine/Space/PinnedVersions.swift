/// The versions that readers of all processes have pinned.
struct PinnedVersions: Sendable {
    /// The versions in ascending order, without duplicates.
    var versions: [UInt64] = []

    /// Returns the range from the oldest to the newest pinned version within `range`; nil if none
    /// is pinned there.
    func span(in range: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let first = index(atLeast: range.lowerBound)
        let end = index(atLeast: range.upperBound + 1)
        return first < end ? versions[first]...versions[end - 1] : nil
    }

    /// The index of the first version that is at least `version`.
    private func index(atLeast version: UInt64) -> Int {
        var low = 0
        var high = versions.count
        while low < high {
            let middle = (low + high) / 2
            if versions[middle] < version { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
