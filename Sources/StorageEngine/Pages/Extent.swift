/// A contiguous range of pages.
struct Extent: Hashable, Sendable {
    var start: UInt64
    var count: UInt64

    init(start: UInt64, count: UInt64) {
        self.start = start
        self.count = count
    }

    /// One past the last page.
    var end: UInt64 { start + count }
    var isEmpty: Bool { count == 0 }
}

extension [Extent] {
    /// Removes `pages`. They must lie within one of the extents; otherwise nothing changes.
    mutating func remove(_ pages: Extent) {
        guard let index = firstIndex(where: { $0.start <= pages.start && pages.end <= $0.end })
        else { return }
        let end = self[index].end
        self[index].count = pages.start - self[index].start
        if pages.end < end {
            let rest = Extent(start: pages.end, count: end - pages.end)
            if self[index].isEmpty { self[index] = rest } else { insert(rest, at: index + 1) }
        } else if self[index].isEmpty {
            remove(at: index)
        }
    }
}

/// The encoding of a sequence of ascending, disjoint extents: for each one, its distance from the
/// end of the previous extent, then its length.
enum ExtentCoding {
    static func append(_ extents: some Sequence<Extent>, to bytes: inout [UInt8]) {
        var previousEnd: UInt64 = 0
        for extent in extents {
            VariableLengthInteger.append(extent.start - previousEnd, to: &bytes)
            VariableLengthInteger.append(extent.count, to: &bytes)
            previousEnd = extent.end
        }
    }

    static func byteCount(of extents: some Sequence<Extent>) -> Int {
        var total = 0
        var previousEnd: UInt64 = 0
        for extent in extents {
            total += VariableLengthInteger.byteCount(of: extent.start - previousEnd)
            total += VariableLengthInteger.byteCount(of: extent.count)
            previousEnd = extent.end
        }
        return total
    }

    /// Reads `count` extents. Returns nil unless they ascend, are not empty, and lie within
    /// `bounds`.
    static func decode(
        count: UInt64, within bounds: Range<UInt64>,
        from reader: inout VariableLengthIntegerReader
    ) -> [Extent]? {
        // Every extent takes at least two bytes, so a malicious count cannot reserve more memory
        // than the input justifies.
        guard count <= UInt64(reader.remaining / 2) else { return nil }
        var extents: [Extent] = []
        extents.reserveCapacity(Int(count))
        var previousEnd: UInt64 = 0
        for _ in 0..<count {
            guard let distance = reader.next(), let length = reader.next() else { return nil }
            let (start, startOverflows) = previousEnd.addingReportingOverflow(distance)
            let (end, endOverflows) = start.addingReportingOverflow(length)
            guard !startOverflows, !endOverflows, length > 0,
                start >= bounds.lowerBound, end <= bounds.upperBound
            else { return nil }
            extents.append(Extent(start: start, count: length))
            previousEnd = end
        }
        return extents
    }
}
