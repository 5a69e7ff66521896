/// Freed pages that readers may still reach.
///
/// A page with birth b that version f freed is reachable from the versions b to f - 1, and no
/// reader can newly pin one of those (see ``FreeSpace/reclaim(through:pinned:)``). So the page is
/// reusable once none of them is pinned. Pins outside of that range do not matter.
///
/// Pages are kept in batches, one for each range of versions. After a comparison with the pins, a
/// range ends with a pinned version: the newest one that reaches the pages. The batch need not be
/// examined again until that pin is released. Then it moves as a whole to the next older pin that
/// reaches it, or becomes free. Therefore the cost of a commit does not depend on the amount of
/// waiting space, and adjacent pages become one extent however many commits freed them.
struct WaitingSpace: Sendable {
    /// Pages that only versions of one range may reach.
    struct Batch: Sendable {
        var versions: ClosedRange<UInt64>
        var extents: ExtentSet
    }

    /// The batches in ascending order of their newest version, then of their oldest.
    private(set) var batches: [Batch] = []
    private(set) var pageCount: UInt64 = 0

    var extentCount: Int { batches.reduce(0) { $0 + $1.extents.extentCount } }

    /// Adds pages. Returns false if some of them already wait in the same batch.
    mutating func insert(_ extent: Extent, versions: ClosedRange<UInt64>) -> Bool {
        pageCount += extent.count
        return batches[indexOfBatch(versions)].extents.insert(extent)
    }

    /// Adds the pages that a version freed. Returns false if some of them already wait in the same
    /// batch.
    mutating func insert(_ freed: [FreedExtent], freedBy version: UInt64) -> Bool {
        // In the order of births, the batches of a new version are all appended at the end.
        for entry in freed.sorted(by: { $0.birth < $1.birth })
        where !insert(entry.extent, versions: entry.birth...version - 1) { return false }
        return true
    }

    private mutating func insert(_ batch: Batch) -> Bool {
        pageCount += batch.extents.pageCount
        return batches[indexOfBatch(batch.versions)].extents.formUnion(batch.extents)
    }

    /// Returns the index of the batch for a range, creating the batch if there is none.
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

    /// Moves the pages of stale batches. A batch is stale if its versions precede `limit` and its
    /// newest version is no longer pinned. Its pages move to the pins that still reach them, or
    /// into `free`. Returns false if a page is in two places.
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

    /// Removes the longest contiguous part of `extent` that begins at its first page and is in one
    /// batch, and returns the number of its pages.
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

    /// Returns the number of pages that are reached by pinned versions of this range and by no
    /// pinned version outside of it.
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
    /// Appends the number of batches, and for each batch: the difference between its newest version
    /// and that of the batch before, the number of versions before the newest one, the number of
    /// extents, and the extents.
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

    /// Reads batches of versions before `version` and of pages within `bounds`. Returns nil if they
    /// contradict themselves or exceed these limits.
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
