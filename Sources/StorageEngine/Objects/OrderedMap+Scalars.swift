/// Values as the keys of a map.
extension OrderedMap {
    /// Calls `body` with the form in which a map stores a value, and whether the value was
    /// truncated. `pager` is asked for only to name the file in an error.
    ///
    /// - Throws: `.invalidArgument` for a value that cannot be a key, and what `body` throws.
    static func withFirstKey<R>(
        of value: Scalar, _ pager: @autoclosure () -> Pager,
        _ body: (FirstKey, Bool) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch value {
        case .integer(let value):
            return try body(.integer(value), false)
        case .double(let number):
            // The rank as a signed integer, so that NaN comes first and both zeros are equal.
            return try body(
                .integer(Int64(bitPattern: SortRank.of(number) ^ 1 << 63)), false)
        case .bytes(let bytes):
            // Keys of exactly the limit count as truncated, because the truncated form of longer
            // keys may equal them.
            let length = min(bytes.count, maximumKeyBytes)
            return try body(
                .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<length])),
                bytes.count >= maximumKeyBytes)
        case .fixed16(let a, let b):
            // The bytes of the UUID, so that the map orders UUIDs by their bytes.
            let image = (a.littleEndian, b.littleEndian)
            return try withUnsafeBytes(of: image) { bytes throws(StorageError) in
                try body(.bytes(bytes), false)
            }
        case .fixed12(let a, let b):
            let image = (a.littleEndian, b.littleEndian)
            // The bytes of the tuple are 8 + 4: its stride is padded, but not its size.
            return try withUnsafeBytes(of: image) { bytes throws(StorageError) in
                try body(.bytes(bytes), false)
            }
        default:
            throw pager().invalidArgument("Such a value cannot be a primary key or indexed.")
        }
    }
}
