/// Some object keys in some order; see ``PackedKeys``.
struct KeyBlock: Sendable {
    /// The least key. In ascending order this is also the first.
    let least: Int64
    private let storedCount: Int32
    /// The number of bytes of a distance from the least key: 1, 2, 4 or 8; or 0 if each key is 1
    /// more than the one before.
    private let width: UInt8
    private let distances: ContiguousArray<UInt8>

    var count: Int { Int(storedCount) }

    /// Creates a block of at least one key.
    init(_ keys: UnsafeBufferPointer<Int64>) {
        var (least, greatest) = (keys[0], keys[0])
        var isRun = true
        for index in keys.indices {
            least = min(least, keys[index])
            greatest = max(greatest, keys[index])
            if keys[index] &- keys[0] != Int64(index) { isRun = false }
        }
        let span = UInt64(bitPattern: greatest &- least)
        let width =
            isRun ? 0 : span <= 0xFF ? 1 : span <= 0xFFFF ? 2 : span <= 0xFFFF_FFFF ? 4 : 8
        self.least = least
        self.width = UInt8(width)
        storedCount = Int32(keys.count)
        // An array of capacity 0 is the standard library's only empty one, whose count the
        // initializer below would store. All threads share it.
        guard width > 0 else {
            distances = []
            return
        }
        distances = ContiguousArray(unsafeUninitializedCapacity: width * keys.count) {
            bytes, initialized in
            initialized = width * keys.count
            let to = UnsafeMutableRawPointer(bytes.baseAddress)
            switch width {
            case 1: Self.pack(keys, least, into: to, as: UInt8.self)
            case 2: Self.pack(keys, least, into: to, as: UInt16.self)
            case 4: Self.pack(keys, least, into: to, as: UInt32.self)
            default: Self.pack(keys, least, into: to, as: UInt64.self)
            }
        }
    }

    /// Splits keys into blocks of about the same length.
    static func blocks(of keys: UnsafeBufferPointer<Int64>) -> ContiguousArray<KeyBlock> {
        let blockCount = (keys.count + PackedKeys.blockCapacity - 1) / PackedKeys.blockCapacity
        return ContiguousArray(
            (0..<blockCount).map {
                let part = keys.count * $0 / blockCount..<keys.count * ($0 + 1) / blockCount
                return KeyBlock(UnsafeBufferPointer(rebasing: keys[part]))
            })
    }

    private static func pack<Distance: FixedWidthInteger>(
        _ keys: UnsafeBufferPointer<Int64>, _ least: Int64, into to: UnsafeMutableRawPointer?,
        as type: Distance.Type
    ) {
        guard let to = to?.bindMemory(to: type, capacity: keys.count) else { return }
        for index in 0..<keys.count {
            to[index] = Distance(truncatingIfNeeded: keys[index] &- least)
        }
    }

    /// The key at an offset, which must be in range.
    @inline(__always)
    func key(_ offset: Int) -> Int64 {
        distances.withUnsafeBytes { bytes in
            switch width {
            case 0: least &+ Int64(offset)
            case 1: least &+ Int64(bytes[offset])
            case 2: least &+ Int64(bytes.load(fromByteOffset: offset &* 2, as: UInt16.self))
            case 4: least &+ Int64(bytes.load(fromByteOffset: offset &* 4, as: UInt32.self))
            default:
                least
                    &+ Int64(
                        bitPattern: bytes.load(fromByteOffset: offset &* 8, as: UInt64.self))
            }
        }
    }

    /// Writes all keys to memory, which must have room for them.
    func unpack(to keys: UnsafeMutablePointer<Int64>) {
        distances.withUnsafeBytes { bytes in
            switch width {
            case 0: for index in 0..<count { keys[index] = least &+ Int64(index) }
            case 1: unpack(bytes.bindMemory(to: UInt8.self), to: keys)
            case 2: unpack(bytes.bindMemory(to: UInt16.self), to: keys)
            case 4: unpack(bytes.bindMemory(to: UInt32.self), to: keys)
            default: unpack(bytes.bindMemory(to: UInt64.self), to: keys)
            }
        }
    }

    private func unpack<Distance: FixedWidthInteger>(
        _ distances: UnsafeBufferPointer<Distance>, to keys: UnsafeMutablePointer<Int64>
    ) {
        for index in 0..<distances.count {
            keys[index] = least &+ Int64(truncatingIfNeeded: distances[index])
        }
    }

    func firstPosition(of key: Int64) -> Int? {
        guard key >= least else { return nil }
        let distance = UInt64(bitPattern: key &- least)
        if width == 0 { return distance < count ? Int(distance) : nil }
        if distance >> (8 * UInt64(width)) != 0 { return nil }
        return (0..<count).first { self.key($0) == key }
    }

    /// The number of keys less than `key`; the keys must ascend.
    func lowerBound(_ key: Int64) -> Int { (0..<count).partitionPoint { self.key($0) < key } }

    /// The memory that the distances take, including the overhead of an array.
    var byteCount: Int { distances.isEmpty ? 0 : distances.count + 32 }
}
