import StorageEngine

extension SystemTraceEvent {
    /// Repeats the event on an image of the file.
    package func apply(to image: inout [UInt8]) {
        func extend(to size: Int) {
            if image.count < size { image += [UInt8](repeating: 0, count: size - image.count) }
        }
        switch change {
        case .write(let offset, let bytes):
            extend(to: Int(offset) + bytes.count)
            image.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
        case .truncate(let size):
            extend(to: Int(size))
            image.removeLast(image.count - Int(size))
        case .allocate(let offset, let length, .extend): extend(to: Int(offset + length))
        case .allocate(let offset, let length, .punchHole):
            let hole = min(Int(offset), image.count)..<min(Int(offset + length), image.count)
            image.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        case .allocate(_, _, .keepSize), .sync, .syncDirectory, .unlink, .rename: break
        }
    }
}
