/// A set of pages, stored as ascending, disjoint extents that never touch each other.
///
/// The extents are kept in chunks of up to 256. Inserting and removing therefore move little memory
/// however many extents there are, and a search for a long extent skips whole chunks.
struct ExtentSet: Sendable {
    struct Chunk: Sendable {
        var extents: [Extent]
        /// An upper bound on the lengths of the extents. It is exact right after an unsuccessful
        /// search.
        var longest: UInt64
    }

    static let chunkCapacity = 256
    private static let fewExtents = 16

    private(set) var chunks: [Chunk] = []
    private(set) var pageCount: UInt64 = 0
    private(set) var extentCount = 0
    /// The memory of a removed chunk, kept for the next one. A set that is repeatedly filled and
    /// emptied, as those of small transactions are, then allocates nothing.
    private var spare: [Extent] = []

    init() {}

    /// Creates a set of extents that ascend and do not overlap.
    init(ascending extents: [Extent]) {
        for extent in extents { _ = insert(extent) }
    }

    var isEmpty: Bool { extentCount == 0 }

    /// The chunk and index of the last extent that starts at or before `page`.
    private func position(atOrBefore page: UInt64) -> (chunk: Int, index: Int)? {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].extents[0].start <= page { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let chunk = low - 1
        low = 0
        high = chunks[chunk].extents.count
        while low < high {
            let middle = (low + high) / 2
            let start = chunks[chunk].extents[middle].start
            if start <= page { low = middle + 1 } else { high = middle }
        }
        return (chunk, low - 1)
    }

    /// The place that follows `position`; the first place of the set for nil.
    private func position(after position: (chunk: Int, index: Int)?) -> (chunk: Int, index: Int)? {
        guard let position else { return chunks.isEmpty ? nil : (0, 0) }
        if position.index + 1 < chunks[position.chunk].extents.count {
            return (position.chunk, position.index + 1)
        }
        return position.chunk + 1 < chunks.count ? (position.chunk + 1, 0) : nil
    }

    /// The extent that contains `page`.
    func extent(containing page: UInt64) -> Extent? {
        guard let (chunk, index) = position(atOrBefore: page) else { return nil }
        let extent = chunks[chunk].extents[index]
        return page < extent.end ? extent : nil
    }

    func contains(_ extent: Extent) -> Bool {
        guard let found = self.extent(containing: extent.start) else { return false }
        return extent.end <= found.end
    }

    func overlaps(_ extent: Extent) -> Bool {
        let before = position(atOrBefore: extent.start)
        if let before, chunks[before.chunk].extents[before.index].end > extent.start { return true }
        guard let next = position(after: before) else { return false }
        return chunks[next.chunk].extents[next.index].start < extent.end
    }

    /// Adds pages, merging them with adjacent extents. Returns false, without any change, if one of
    /// them is already in the set.
    mutating func insert(_ extent: Extent) -> Bool {
        precondition(!extent.isEmpty)
        let before = position(atOrBefore: extent.start)
        let after = position(after: before)
        var joinsBefore = false
        var joinsAfter = false
        if let before {
            let neighbour = chunks[before.chunk].extents[before.index]
            guard neighbour.end <= extent.start else { return false }
            joinsBefore = neighbour.end == extent.start
        }
        if let after {
            let neighbour = chunks[after.chunk].extents[after.index]
            guard extent.end <= neighbour.start else { return false }
            joinsAfter = neighbour.start == extent.end
        }
        pageCount += extent.count
        switch (before, after) {
        case (let before?, let after?) where joinsBefore && joinsAfter:
            let tail = chunks[after.chunk].extents[after.index].count
            extend(at: before, by: extent.count + tail)
            removeEntry(at: after)
        case (let before?, _) where joinsBefore:
            extend(at: before, by: extent.count)
        case (_, let after?) where joinsAfter:
            chunks[after.chunk].extents[after.index].start = extent.start
            extend(at: after, by: extent.count)
        default:
            insertEntry(extent, after: before)
        }
        return true
    }

    /// Removes pages. Returns false, without any change, if one of them is not in the set.
    mutating func remove(_ extent: Extent) -> Bool {
        precondition(!extent.isEmpty)
        guard let place = position(atOrBefore: extent.start) else { return false }
        let found = chunks[place.chunk].extents[place.index]
        guard extent.end <= found.end else { return false }
        pageCount -= extent.count
        let head = Extent(start: found.start, count: extent.start - found.start)
        let tail = Extent(start: extent.end, count: found.end - extent.end)
        switch (head.isEmpty, tail.isEmpty) {
        case (true, true):
            removeEntry(at: place)
        case (false, true):
            chunks[place.chunk].extents[place.index] = head
        case (true, false):
            chunks[place.chunk].extents[place.index] = tail
        case (false, false):
            chunks[place.chunk].extents[place.index] = head
            insertEntry(tail, after: place)
        }
        return true
    }

    /// Removes the longest contiguous part of `extent` that begins at its first page and is in the
    /// set, and returns the number of its pages.
    mutating func removeHead(of extent: Extent) -> UInt64 {
        guard let found = self.extent(containing: extent.start) else { return 0 }
        let end = Swift.min(found.end, extent.end)
        let head = Extent(start: extent.start, count: end - extent.start)
        let isRemoved = remove(head)
        precondition(isRemoved)
        return head.count
    }

    /// Adds all pages of another set. Returns false if the two overlap; the contents of the set are
    /// then undefined.
    mutating func formUnion(_ other: ExtentSet) -> Bool {
        // The extents of the smaller set are moved into the larger one, so that an extent moved n
        // times is in a set of at least 2^n extents. A few extents are always moved from `other`,
        // so that both sets keep their memory.
        var added = other
        if extentCount < added.extentCount, added.extentCount > Self.fewExtents {
            swap(&self, &added)
        }
        for extent in added where !insert(extent) { return false }
        return true
    }

    /// Returns the first extent of at least `count` and fewer than `limit` pages that ends after
    /// `page`, or else the first such extent in the chunks that follow, wrapping around (next fit).
    mutating func extent(
        ofAtLeast count: UInt64, below limit: UInt64 = .max, near page: UInt64
    ) -> Extent? {
        guard !chunks.isEmpty, count < limit else { return nil }
        let start = position(atOrBefore: page) ?? (0, 0)
        let near = chunks[start.chunk]
        if near.longest >= count {
            for extent in near.extents[start.index...]
            where (count..<limit).contains(extent.count) && extent.end > page { return extent }
        }
        for step in 1...chunks.count {
            let chunk = (start.chunk + step) % chunks.count
            if let found = search(chunk, lengths: count..<limit) { return found }
        }
        return nil
    }

    private mutating func search(_ chunk: Int, lengths: Range<UInt64>) -> Extent? {
        guard chunks[chunk].longest >= lengths.lowerBound else { return nil }
        var longest: UInt64 = 0
        for extent in chunks[chunk].extents {
            if lengths.contains(extent.count) { return extent }
            longest = Swift.max(longest, extent.count)
        }
        chunks[chunk].longest = longest
        return nil
    }

    /// Returns the longest extent if it has at least `count` pages; the first one, if several are
    /// equally long.
    mutating func longestExtent(ofAtLeast count: UInt64) -> Extent? {
        var longest: Extent?
        for chunk in chunks.indices
        where chunks[chunk].longest > longest?.count ?? (count - 1) {
            // A chunk is never empty: it is removed together with its last extent.
            let found = chunks[chunk].extents.max { $0.count < $1.count }!
            chunks[chunk].longest = found.count
            if found.count > longest?.count ?? (count - 1) { longest = found }
        }
        return longest
    }

    private mutating func extend(at place: (chunk: Int, index: Int), by count: UInt64) {
        chunks[place.chunk].extents[place.index].count += count
        chunks[place.chunk].longest = Swift.max(
            chunks[place.chunk].longest, chunks[place.chunk].extents[place.index].count)
    }

    private mutating func insertEntry(_ extent: Extent, after place: (chunk: Int, index: Int)?) {
        extentCount += 1
        guard !chunks.isEmpty else {
            var extents: [Extent] = []
            swap(&extents, &spare)
            extents.append(extent)
            chunks.append(Chunk(extents: extents, longest: extent.count))
            return
        }
        let chunk = place?.chunk ?? 0
        chunks[chunk].extents.insert(extent, at: place.map { $0.index + 1 } ?? 0)
        chunks[chunk].longest = Swift.max(chunks[chunk].longest, extent.count)
        if chunks[chunk].extents.count > Self.chunkCapacity {
            let upper = Array(chunks[chunk].extents[(Self.chunkCapacity / 2)...])
            chunks[chunk].extents.removeSubrange((Self.chunkCapacity / 2)...)
            chunks.insert(Chunk(extents: upper, longest: chunks[chunk].longest), at: chunk + 1)
        }
    }

    private mutating func removeEntry(at place: (chunk: Int, index: Int)) {
        extentCount -= 1
        chunks[place.chunk].extents.remove(at: place.index)
        if chunks[place.chunk].extents.isEmpty { removeChunk(place.chunk) }
    }

    private mutating func removeChunk(_ index: Int) {
        swap(&spare, &chunks[index].extents)
        chunks.remove(at: index)
        spare.removeAll(keepingCapacity: true)
    }

    mutating func removeAll() {
        if !chunks.isEmpty {
            chunks.removeLast(chunks.count - 1)
            removeChunk(0)
        }
        pageCount = 0
        extentCount = 0
    }
}

extension ExtentSet: Sequence {
    struct Iterator: IteratorProtocol {
        let chunks: [Chunk]
        var chunk = 0
        var index = 0

        mutating func next() -> Extent? {
            guard chunk < chunks.count else { return nil }
            let extent = chunks[chunk].extents[index]
            index += 1
            if index == chunks[chunk].extents.count {
                index = 0
                chunk += 1
            }
            return extent
        }
    }

    func makeIterator() -> Iterator { Iterator(chunks: chunks) }
    var underestimatedCount: Int { extentCount }
}
