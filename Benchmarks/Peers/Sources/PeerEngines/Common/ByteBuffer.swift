/// A buffer for the keys and values of byte-oriented engines, which is refilled for every call
/// without allocating. Belongs to one thread.
final class ByteBuffer {
    private var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init() { storage = .allocate(byteCount: 256, alignment: 8) }

    deinit { storage.deallocate() }

    /// The contents, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    func removeAll() { count = 0 }

    func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { append($0) }
    }

    /// Appends a number such that the bytewise order is the order of nonnegative numbers.
    func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        withUnsafeBytes(of: value.bigEndian) { append($0) }
    }

    private func reserve(_ additional: Int) {
        guard count + additional > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, count + additional), alignment: 8)
        larger.copyMemory(from: bytes)
        storage.deallocate()
        storage = larger
    }
}

extension UnsafeRawBufferPointer {
    func littleEndian<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    func bigEndian<Integer: FixedWidthInteger>(_ type: Integer.Type, at offset: Int) -> Integer {
        Integer(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
