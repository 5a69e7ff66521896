/// The versions that some reader of some process has pinned.
struct PinnedVersions: Sendable {
    /// In ascending order, each once.
    var versions: [UInt64] = []

    /// The oldest and the newest pinned version of a range; nil where there is none.
    func span(in range: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let first = index(atLeast: range.lowerBound)
        let end = index(atLeast: range.upperBound + 1)
        return first < end ? versions[first]...versions[end - 1] : nil
    }

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
