import CColumnKernels

/// A test of a byte string against a pattern.
enum BytesTest {
    case equal, prefix, suffix, contains

    /// Applies the test to one byte string outside a column.
    func matches(_ bytes: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal: return compareBytes(bytes, pattern) == 0
        case .prefix:
            return bytes.count >= pattern.count
                && compareBytes(.init(rebasing: bytes.prefix(pattern.count)), pattern) == 0
        case .suffix:
            return bytes.count >= pattern.count
                && compareBytes(.init(rebasing: bytes.suffix(pattern.count)), pattern) == 0
        case .contains:
            return realm_contains_bytes(
                bytes.baseAddress, bytes.count, pattern.baseAddress, pattern.count)
        }
    }
}

/// A column of byte strings, as the kernels see it. Valid as long as its node.
struct BytesColumn {
    private let packed: realm_bytes_column
    private let kernels: ColumnKernels

    init(_ node: Node, _ column: Int, kernels: ColumnKernels = .best) {
        let entry = node.entry(column)
        // At least the page's header and directory precede the heap, so the 8 bytes before it are
        // readable. Regions begin at multiples of 8.
        packed = realm_bytes_column(
            heap: (node.base + entry.heapOffset).assumingMemoryBound(to: UInt8.self),
            ends: node.base + entry.dataOffset, ends_are_packed: entry.hasPackedEnds,
            nulls: node.nullWords(column), used: entry.heapUsed, rows: node.rowCount)
        self.kernels = kernels
    }

    var rowCount: Int { packed.rows }
    var nulls: UnsafePointer<UInt64>? { packed.nulls }

    /// Finds matching values in the node. Returns whether some values are in runs of their own;
    /// those are not members.
    func match(
        _ test: BytesTest, _ pattern: UnsafeRawBufferPointer, into mask: inout RowMask
    ) -> Bool {
        mask.resize(rows: rowCount)
        let bytes = pattern.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let kind: realm_bytes_test
        switch test {
        case .equal: kind = realm_bytes_equal
        case .prefix: kind = realm_bytes_prefix
        case .suffix: kind = realm_bytes_suffix
        case .contains:
            if let bytes, pattern.count > 0 {
                return realm_match_contained_bytes(packed, bytes, pattern.count, mask.words)
            }
            // Every string contains the empty pattern, as every string begins with it.
            kind = realm_bytes_prefix
        }
        return kernels.table.pointee.match_bytes(packed, kind, bytes, pattern.count, mask.words)
    }
}

/// A column of sixteen bytes per row, as the kernels see it. Valid as long as its node.
struct Fixed16Column {
    private let data: UnsafeRawPointer
    let nulls: UnsafePointer<UInt64>?
    let rowCount: Int

    init(_ node: Node, _ column: Int) {
        data = node.fixed16(column, 0)
        nulls = node.nullWords(column)
        rowCount = node.rowCount
    }

    func match(_ low: UInt64, _ high: UInt64, isEqual: Bool, into mask: inout RowMask) {
        mask.fill(false, rows: rowCount)
        for row in 0..<rowCount {
            let first = data.loadUnaligned(fromByteOffset: row &* 16, as: UInt64.self)
            let second = data.loadUnaligned(fromByteOffset: row &* 16 &+ 8, as: UInt64.self)
            let same = UInt64(littleEndian: first) == low && UInt64(littleEndian: second) == high
            if same == isEqual { mask.insert(row) }
        }
        mask.subtract(nulls: nulls)
    }
}
