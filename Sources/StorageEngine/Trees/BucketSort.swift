/// Many entries being sorted by some bits of their ranks, in parts that two threads do; see
/// ``SharedWork``.
///
/// The highest bits divide the entries into buckets, most of which fit the second cache. Each is
/// then sorted by itself, from the lowest digit to the highest. So all passes but one stay in the
/// cache, and no bucket waits for another.
// Unchecked because of the pointers: what a part writes, no other part of the same step accesses.
struct BucketSort<Entry: RankedEntry & Sendable>: @unchecked Sendable {
    private let entries: UnsafeMutableBufferPointer<Entry>
    /// As much memory again.
    private let other: UnsafeMutablePointer<Entry>
    /// The bits of ranks in which the entries of a bucket agree, and those below.
    private let bucketBits: Range<Int>
    private let digitBits: Range<Int>
    private let sliceLength: Int
    /// For each slice of the entries, where its next entry of each bucket goes.
    private let places: UnsafeMutablePointer<Int>
    /// Where each bucket begins; one more behind the last.
    private let starts: UnsafeMutablePointer<Int>

    /// The number of entries that should be in a bucket: at most 64 KiB, and as much again.
    private static var bucketLength: Int { 4096 }
    /// With more buckets, the places that a pass writes to no longer fit in the first cache.
    private static var mostBucketBits: Int { 11 }
    private static var fewestBucketBits: Int { 3 }
    /// The most entries in a slice, which a thread distributes in about a tenth of a millisecond.
    private static var longestSlice: Int { 1 << 15 }
    private static var fewestSlices: Int { 8 }

    /// Sorts entries by the bits of their ranks in a range. Above it all ranks agree. Entries that
    /// agree in the range are in their complete order already.
    ///
    /// Visits the buckets in any order, by two threads at the same time, each bucket with its
    /// entries in order and with the number of entries in the buckets before. The array is used up.
    static func forEachBucket(
        of entries: inout [Entry], byBits bits: Range<Int>,
        _ body: @escaping @Sendable (_ bucket: UnsafeBufferPointer<Entry>, _ start: Int) -> Void
    ) {
        entries.withUnsafeMutableBufferPointer { entries in
            let sort = BucketSort(entries, byBits: bits)
            defer { sort.deallocate() }
            SharedWork.perform(sort.sliceCount) { sort.countEntries(ofSlice: $0) }
            sort.findPlaces()
            SharedWork.perform(sort.sliceCount) { sort.distribute(slice: $0) }
            SharedWork.perform(sort.bucketCount) {
                body(sort.sorted(bucket: $0), sort.starts[$0])
            }
        }
    }

    private init(_ entries: UnsafeMutableBufferPointer<Entry>, byBits bits: Range<Int>) {
        self.entries = entries
        let used = Self.differingBits(of: entries).clamped(to: bits)
        let wanted = Int.bitWidth - (entries.count / Self.bucketLength).leadingZeroBitCount
        let bucketBitCount = min(
            max(wanted, Self.fewestBucketBits), Self.mostBucketBits, used.count)
        bucketBits = used.upperBound - bucketBitCount..<used.upperBound
        digitBits = used.lowerBound..<used.upperBound - bucketBitCount
        sliceLength = max(1, min(Self.longestSlice, entries.count / Self.fewestSlices))
        other = .allocate(capacity: entries.count)
        let sliceCount = (entries.count + sliceLength - 1) / sliceLength
        let placeCount = sliceCount << bucketBitCount
        places = .allocate(capacity: placeCount)
        places.initialize(repeating: 0, count: placeCount)
        starts = .allocate(capacity: 1 << bucketBitCount + 1)
    }

    private func deallocate() {
        other.deallocate()
        places.deallocate()
        starts.deallocate()
    }

    /// The bits of ranks from the lowest to the highest in which entries differ.
    private static func differingBits(
        of entries: UnsafeMutableBufferPointer<Entry>
    ) -> Range<Int> {
        let first = entries.first?.rank ?? 0
        var differing: UInt64 = 0
        for entry in entries { differing |= entry.rank ^ first }
        let end = UInt64.bitWidth - differing.leadingZeroBitCount
        return min(differing.trailingZeroBitCount, end)..<end
    }

    private var bucketCount: Int { 1 << bucketBits.count }
    private var sliceCount: Int { (entries.count + sliceLength - 1) / sliceLength }

    private func slice(_ number: Int) -> UnsafeMutableBufferPointer<Entry> {
        let start = number * sliceLength
        return UnsafeMutableBufferPointer(
            rebasing: entries[start..<min(start + sliceLength, entries.count)])
    }

    @inline(__always)
    private func bucket(of entry: Entry) -> Int {
        // At bit 64 there is one bucket.
        Int(truncatingIfNeeded: entry.rank &>> UInt64(bucketBits.lowerBound)) & (bucketCount &- 1)
    }

    // MARK: Buckets

    private func countEntries(ofSlice number: Int) {
        let counts = places + number * bucketCount
        for entry in slice(number) { counts[bucket(of: entry)] &+= 1 }
    }

    private func findPlaces() {
        var place = 0
        for bucket in 0..<bucketCount {
            (starts + bucket).initialize(to: place)
            for slice in 0..<sliceCount {
                let first = places + slice * bucketCount + bucket
                let count = first.pointee
                first.pointee = place
                place += count
            }
        }
        (starts + bucketCount).initialize(to: place)
    }

    private func distribute(slice number: Int) {
        let places = places + number * bucketCount
        for entry in slice(number) {
            let bucket = bucket(of: entry)
            (other + places[bucket]).initialize(to: entry)
            places[bucket] &+= 1
        }
    }

    // MARK: A bucket

    /// The most entries for which comparing is faster than passes.
    private static var fewEntries: Int { 128 }
    /// The bits of a pass. With more, its counters would not fit the stack.
    private static var digit: Int { 8 }

    private func sorted(bucket: Int) -> UnsafeBufferPointer<Entry> {
        let (start, count) = (starts[bucket], starts[bucket + 1] - starts[bucket])
        var from = UnsafeMutableBufferPointer(start: other + start, count: count)
        if count <= Self.fewEntries {
            from.sort { $0.precedes($1) }
            return UnsafeBufferPointer(from)
        }
        var to = UnsafeMutableBufferPointer(rebasing: entries[start..<start + count])
        // The highest digit may include bits of the bucket, in which all entries agree.
        for shift in stride(from: digitBits.lowerBound, to: digitBits.upperBound, by: Self.digit) {
            Self.pass(from, to, shift: UInt64(shift))
            swap(&from, &to)
        }
        return UnsafeBufferPointer(from)
    }

    /// One pass of a radix sort. It is stable.
    private static func pass(
        _ from: UnsafeMutableBufferPointer<Entry>, _ to: UnsafeMutableBufferPointer<Entry>,
        shift: UInt64
    ) {
        let values = 1 << digit
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: values) { next in
            next.initialize(repeating: 0)
            for entry in from {
                next[Int(truncatingIfNeeded: entry.rank &>> shift) & (values &- 1)] &+= 1
            }
            var place: UInt32 = 0
            for value in next.indices {
                let count = next[value]
                next[value] = place
                place &+= count
            }
            for entry in from {
                let value = Int(truncatingIfNeeded: entry.rank &>> shift) & (values &- 1)
                to[Int(next[value])] = entry
                next[value] &+= 1
            }
        }
    }
}

/// A word that holds its rank and what is sorted by it.
extension UInt64: RankedEntry {
    var rank: UInt64 { self }

    func precedes(_ other: UInt64) -> Bool { self < other }
}
