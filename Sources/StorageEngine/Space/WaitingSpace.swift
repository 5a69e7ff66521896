/// Freed pages that readers may still reach.
///
/// A page with birth b that version f freed is reachable from the versions b to f - 1, and nobody
/// can begin to read one of those (see ``FreeSpace/reclaim(through:pinned:)``). So it is reusable
/// once none of them is pinned, and what pins come and go outside of that range is of no concern.
///
/// Pages are kept in batches, one for each range of versions. Once readers were looked at, a range
/// ends with a pinned version: the newest one that reaches the pages. Such a batch need not be
/// looked at until that pin goes; then it moves as a whole to the next older pin that reaches it,
/// or becomes free. Hence the cost of a commit does not depend on how much waits, and neighbouring
/// pages become one extent however many commits freed them.
struct WaitingSpace: Sendable {
    /// Pages that only pinned versions of a range may reach.
    struct Batch: Sendable {
        var versions: ClosedRange<UInt64>
        var extents: ExtentSet
    }

    /// In ascending order of the newest version, then of the oldest.
    private(set) var batches: [Batch] = []
    private(set) var pageCount: UInt64 = 0

    var extentCount: Int { batches.reduce(0) { $0 + $1.extents.extentCount } }

    /// Adds pages. False where some of them wait in the same batch already.
    mutating func insert(_ extent: Extent, versions: ClosedRange<UInt64>) -> Bool {
        pageCount += extent.count
        return batches[indexOfBatch(versions)].extents.insert(extent)
    }

    /// Adds what a version freed. False where some of it waits in the same batch already.
    mutating func insert(_ freed: [FreedExtent], freedBy version: UInt64) -> Bool {
        // By birth: batches of a new version are then appended in their order, however many.
        for entry in freed.sorted(by: { $0.birth < $1.birth })
        where !insert(entry.extent, versions: entry.birth...version - 1) { return false }
        return true
    }

    private mutating func insert(_ batch: Batch) -> Bool {
        pageCount += batch.extents.pageCount
        return batches[indexOfBatch(batch.versions)].extents.formUnion(batch.extents)
    }

    /// The batch for a range, made where there is none yet.
    private mutating func indexOfBatch(_ versions: ClosedRange<UInt64>) -> Int {
        let key = (versions.upperBound, versions.lowerBound)
        var low = 0
        var high = batches.count
        while low < high {
            let middle = (low + high) / 2
            let other = batches[middle].versions
            if (other.upperBound, other.lowerBound) < key {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low == batches.count || batches[low].versions != versions {
            batches.insert(Batch(versions: versions, extents: ExtentSet()), at: low)
        }
        return low
    }

    /// Moves batches of versions before `limit` whose newest version is not pinned any more: on to
    /// the pins that still reach them, or into `free`. False where a page is in two places.
    mutating func release(
        before limit: UInt64, pinned: PinnedVersions, into free: inout ExtentSet
    ) -> Bool {
        func isStale(_ batch: Batch) -> Bool {
            batch.versions.upperBound < limit
                && pinned.span(in: batch.versions)?.upperBound != batch.versions.upperBound
        }
        guard batches.contains(where: isStale) else { return true }
        let stale = batches.filter(isStale)
        batches.removeAll(where: isStale)
        for var batch in stale {
            pageCount -= batch.extents.pageCount
            if let span = pinned.span(in: batch.versions) {
                batch.versions = span
                guard insert(batch) else { return false }
            } else {
                guard free.formUnion(batch.extents) else { return false }
            }
        }
        return true
    }

    /// Removes the pages of `extent` from its first one on, as far as they are in one batch without
    /// a gap, and returns their number.
    mutating func removeHead(of extent: Extent) -> UInt64 {
        for index in batches.indices {
            let removed = batches[index].extents.removeHead(of: extent)
            guard removed > 0 else { continue }
            pageCount -= removed
            if batches[index].extents.isEmpty { batches.remove(at: index) }
            return removed
        }
        return 0
    }

    /// Pages that a pinned version of this range reaches, and none outside of it.
    func pageCount(
        heldOnlyBy versions: ClosedRange<UInt64>, pinned: PinnedVersions
    ) -> UInt64 {
        batches.reduce(0) {
            guard let span = pinned.span(in: $1.versions), versions.contains(span.lowerBound),
                versions.contains(span.upperBound)
            else { return $0 }
            return $0 + $1.extents.pageCount
        }
    }
}

// MARK: Bytes

extension WaitingSpace {
    /// The number of batches, and each of them: by how much its newest version exceeds that of the
    /// batch before, how many versions there are before the newest, the number of extents, the
    /// extents.
    func encode(to bytes: inout [UInt8]) {
        VariableLengthInteger.append(UInt64(batches.count), to: &bytes)
        var previous: UInt64 = 0
        for batch in batches {
            let (oldest, newest) = (batch.versions.lowerBound, batch.versions.upperBound)
            VariableLengthInteger.append(newest - previous, to: &bytes)
            VariableLengthInteger.append(newest - oldest, to: &bytes)
            VariableLengthInteger.append(UInt64(batch.extents.extentCount), to: &bytes)
            ExtentCoding.append(batch.extents, to: &bytes)
            previous = newest
        }
    }

    /// Reads batches of versions before `version` and within `bounds`; nil where they contradict
    /// themselves.
    init?(
        from reader: inout VariableLengthIntegerReader, within bounds: Range<UInt64>,
        version: UInt64
    ) {
        guard let batchCount = reader.next(), batchCount <= UInt64(reader.remaining) else {
            return nil
        }
        for _ in 0..<batchCount {
            let last = batches.last?.versions
            guard let step = reader.next(), let earlier = reader.next(), let count = reader.next(),
                let extents = ExtentCoding.decode(count: count, within: bounds, from: &reader),
                !extents.isEmpty
            else { return nil }
            let (newest, overflows) = (last?.upperBound ?? 0).addingReportingOverflow(step)
            guard !overflows, newest < version, earlier < newest else { return nil }
            let versions = newest - earlier...newest
            if let last, last.upperBound == newest, last.lowerBound >= versions.lowerBound {
                return nil
            }
            batches.append(Batch(versions: versions, extents: ExtentSet(ascending: extents)))
            pageCount += batches[batches.count - 1].extents.pageCount
            guard pageCount <= bounds.upperBound - bounds.lowerBound else { return nil }
        }
    }
}
