/// Pages that a version freed, all written by one earlier version.
///
/// They are reachable from `birth` and all later versions that precede the version that freed them.
struct FreedExtent: Hashable, Sendable {
    var extent: Extent
    /// The version that wrote the pages.
    var birth: UInt64
}

extension [FreedExtent] {
    /// Sorts the extents, and merges adjacent ones of the same birth.
    mutating func coalesce() {
        guard count > 1 else { return }
        sort { $0.extent.start < $1.extent.start }
        var last = 0
        for index in 1..<count {
            if self[last].birth == self[index].birth,
                self[last].extent.end == self[index].extent.start
            {
                self[last].extent.count += self[index].extent.count
            } else {
                last += 1
                self[last] = self[index]
            }
        }
        removeLast(count - last - 1)
    }
}

// MARK: Bytes

extension ExtentCoding {
    /// Appends the extents, then for each one its age: the difference between `version`, which
    /// freed it, and its birth.
    static func append(
        _ freed: [FreedExtent], freedBy version: UInt64, to bytes: inout [UInt8]
    ) {
        append(freed.lazy.map(\.extent), to: &bytes)
        for entry in freed { VariableLengthInteger.append(version - entry.birth, to: &bytes) }
    }

    static func byteCount(of freed: [FreedExtent], freedBy version: UInt64) -> Int {
        freed.reduce(byteCount(of: freed.lazy.map(\.extent))) {
            $0 + VariableLengthInteger.byteCount(of: version - $1.birth)
        }
    }

    /// Reads `count` extents. Returns nil unless they ascend, lie within `bounds`, and are older
    /// than `version`.
    static func decode(
        count: UInt64, within bounds: Range<UInt64>, freedBy version: UInt64,
        from reader: inout VariableLengthIntegerReader
    ) -> [FreedExtent]? {
        guard let extents = decode(count: count, within: bounds, from: &reader) else { return nil }
        var freed: [FreedExtent] = []
        freed.reserveCapacity(extents.count)
        for extent in extents {
            guard let age = reader.next(), age >= 1, age < version else { return nil }
            freed.append(FreedExtent(extent: extent, birth: version - age))
        }
        return freed
    }
}
