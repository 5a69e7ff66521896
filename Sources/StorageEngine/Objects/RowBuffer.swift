/// Memory for the values of one row on their way into a leaf, which frees itself.
///
/// Of four words, so that functions that are not inlined get it in registers.
struct RowBuffer: ~Copyable {
    /// One value per column, in the form in which it is stored.
    private let values: UnsafeMutablePointer<ClusterTree.StoredValue>
    /// The references of overflow values, kept until the row is written: three words per column.
    private let images: UnsafeMutablePointer<UInt64>
    /// Copies of short strings and data, one slot per column, because a value to be stored may lie
    /// in the very leaf that it is written to.
    private let copies: UnsafeMutableRawPointer
    /// The bytes of a slot for copies; longer values go to overflow pages.
    private let slotBytes: Int

    private static let imageBytes = 3 * MemoryLayout<UInt64>.stride

    init(columns: Int, slotBytes: Int) {
        self.slotBytes = slotBytes
        copies = .allocate(byteCount: max(1, columns) * slotBytes, alignment: 16)
        let valueBytes = columns * MemoryLayout<ClusterTree.StoredValue>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: valueBytes + max(1, columns) * Self.imageBytes, alignment: 16)
        values = memory.bindMemory(to: ClusterTree.StoredValue.self, capacity: columns)
        images = (memory + valueBytes).bindMemory(to: UInt64.self, capacity: max(1, columns) * 3)
    }

    deinit {
        copies.deallocate()
        UnsafeMutableRawPointer(values).deallocate()
    }

    /// The form in which a value accepted by its column is stored. A long value is written to
    /// overflow pages. It is valid until the next one of the same column.
    @inline(__always)
    func prepare(
        _ value: Scalar, _ column: Int, in pager: Pager
    ) throws(StorageError) -> ClusterTree.StoredValue {
        guard case .bytes(let bytes) = value else { return .init(scalar: value) }
        if bytes.count > slotBytes { return try prepareLong(bytes, column, in: pager) }
        let copy = UnsafeMutableRawBufferPointer(
            start: copies + column * slotBytes, count: bytes.count)
        copy.copyMemory(from: bytes)
        return .init(scalar: .bytes(UnsafeRawBufferPointer(copy)))
    }

    @inline(never)
    private func prepareLong(
        _ bytes: UnsafeRawBufferPointer, _ column: Int, in pager: Pager
    ) throws(StorageError) -> ClusterTree.StoredValue {
        let reference = try pager.writeOverflow(bytes)
        let image = images + column * 3
        image[0] = reference.page.littleEndian
        image[1] = reference.birth.littleEndian
        image[2] = UInt64(bytes.count).littleEndian
        return .init(
            scalar: .bytes(UnsafeRawBufferPointer(start: image, count: Self.imageBytes)),
            isOverflow: true)
    }

    /// The values of a new row, in column order, in the form in which they are stored.
    @inline(never)
    func prepare(
        _ row: UnsafeBufferPointer<Scalar>, for tree: ClusterTree, in pager: Pager
    ) throws(StorageError) -> UnsafeBufferPointer<ClusterTree.StoredValue> {
        for column in 0..<row.count {
            values[column] =
                tree.columns[column].isCollection
                ? .init(scalar: .bytes(UnsafeRawBufferPointer(start: nil, count: 0)))
                : try prepare(row[column], column, in: pager)
        }
        return UnsafeBufferPointer(start: values, count: row.count)
    }
}
