import StorageEngine

extension SystemTraceEvent {
    /// Repeats the event on an image of the file.
    package func apply(to image: inout [UInt8]) {
        func extend(to size: Int) {
            if image.count < size { image += [UInt8](repeating: 0, count: size - image.count) }
        }
        switch change {
        case .write(let offset, let bytes), .writeSynced(let offset, let bytes):
            extend(to: Int(offset) + bytes.count)
            image.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
        case .truncate(let size):
            extend(to: Int(size))
            image.removeLast(image.count - Int(size))
        case .allocate(let offset, let length, .extend): extend(to: Int(offset + length))
        case .allocate(let offset, let length, .punchHole):
            let hole = min(Int(offset), image.count)..<min(Int(offset + length), image.count)
            image.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        case .allocate(_, _, .keepSize), .sync, .failedSync, .syncDirectory, .unlink, .rename: break
        }
    }
}

extension SystemTraceEvent {
    /// Returns what is left of a write when the bytes in a range were written again: up to two
    /// parts. Any other event is returned unchanged.
    func outside(_ range: Range<Int>) -> [SystemTraceEvent] {
        guard case .write(let offset, let bytes) = change else { return [self] }
        let own = Int(offset)..<Int(offset) + bytes.count
        guard own.overlaps(range) else { return [self] }
        var parts: [SystemTraceEvent] = []
        for (start, end) in [
            (own.lowerBound, range.lowerBound), (range.upperBound, own.upperBound),
        ]
        where start < end {
            var part = self
            part.change = .write(
                offset: UInt64(start),
                bytes: Array(bytes[start - own.lowerBound..<end - own.lowerBound]))
            parts.append(part)
        }
        return parts
    }
}
