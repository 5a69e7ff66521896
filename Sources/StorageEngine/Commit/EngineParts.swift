/// Parts of the engine that `Benchmarks/Micro` measures one at a time. No program needs them, and
/// they follow the parts without notice.
@_spi(Benchmarks)
public enum EngineParts {
    /// Returns the checksum of a page.
    public static func checksum(_ page: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        Checksum.hash(page, seed: seed)
    }

    /// A leaf in memory of the caller.
    public struct Leaf {
        private let node: MutableNode

        /// Makes a leaf without rows of `byteCount` bytes at `page`.
        public init(_ page: UnsafeMutableRawPointer, byteCount: Int, columns: [ColumnKind]) {
            let columns = columns.enumerated().map {
                ColumnFormat(id: UInt16($0.offset + 1), kind: $0.element)
            }
            node = MutableNode.format(
                page, byteCount: byteCount, level: 0, treeID: 1, columns: columns, lowKey: 0)
        }

        public var reading: Node { node.reading }

        /// The bytes that the contents need when packed without spare room.
        public var usedBytes: Int { node.usedBytes }

        /// Returns the bits of each value of a column of numbers.
        public func width(_ column: Int) -> Int { node.reading.packedData(column).width }

        /// Returns false, with nothing changed, if the row does not fit.
        public func insertPlaceholderRow(at row: Int) -> Bool {
            node.insertPlaceholderRow(at: row)
        }

        /// Returns false, with nothing changed, if the value does not fit.
        public func setInteger(_ column: Int, _ row: Int, to value: Int64) -> Bool {
            node.setInteger(column, row, to: value)
        }

        /// Returns false, with nothing changed, if the value does not fit.
        public func setBytes(_ column: Int, _ row: Int, to value: UnsafeRawBufferPointer) -> Bool {
            node.setBytes(column, row, to: value, isOverflow: false)
        }

        /// Returns the first of `rows` whose value in an ascending column is at least `key`.
        public func lowerBound(_ column: Int, _ key: Int64, in rows: Range<Int>) -> Int {
            node.reading.lowerBound(column, key, in: rows)
        }

        /// Returns the first of `rows` whose value in an ascending column is at least `key`.
        public func lowerBound(
            _ column: Int, _ key: UnsafeRawBufferPointer, in rows: Range<Int>
        ) -> Int {
            node.reading.lowerBoundBytes(column, key, in: rows)
        }
    }

    /// The pages of a write transaction, which ends without a commit.
    public final class Pages {
        public struct Page {
            fileprivate let reference: PageReference
        }

        private let pager: Pager

        /// Begins a write transaction.
        public init(of database: Database) throws(StorageError) {
            pager = try Pager(database: database)
            try pager.beginRead()
            try pager.beginWrite()
        }

        public func allocate() throws(StorageError) -> Page {
            Page(reference: try pager.allocate(pages: 1, kind: .node).0)
        }

        public func free(_ page: Page) throws(StorageError) { try pager.free(page.reference) }

        public func rollback() { pager.rollback() }
    }
}
