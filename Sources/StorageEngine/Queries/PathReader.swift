/// Reads the value at the end of a path of links for one object after another. Consecutive objects
/// often lie in one leaf, so the last leaf is tried first. A ``Connection/stopRequest`` ends that
/// with `.interrupted`.
struct PathReader {
    private var links: [LeafReader]
    private var last: LeafReader
    private let pager: Pager
    private var readsUntilCheck = readsPerCheck

    /// After so many objects, it is looked at whether somebody wants this to stop.
    static let readsPerCheck = 1024

    init(_ key: QuerySortKey) {
        links = key.links.map { LeafReader($0.table, $0.column) }
        last = LeafReader(key.table, key.column)
        pager = key.table.pager
    }

    /// The value at the end of the path; nil if a link on it is null.
    mutating func value(of key: ObjectKey) throws(StorageError) -> Scalar? {
        guard let key = try target(of: key) else { return nil }
        return try last.value(of: key)
    }

    /// The object at the end of the links; nil if one of them is null.
    mutating func target(of key: ObjectKey) throws(StorageError) -> ObjectKey? {
        readsUntilCheck &-= 1
        if readsUntilCheck == 0 {
            readsUntilCheck = Self.readsPerCheck
            try pager.checkStop()
        }
        var key = key
        for index in links.indices {
            guard case .integer(let target) = try links[index].value(of: key) else { return nil }
            key = ObjectKey(rawValue: target)
        }
        return key
    }

    private struct LeafReader {
        private let table: Table
        private let column: Int
        private var leaf: Node?

        init(_ table: Table, _ column: Int) {
            self.table = table
            self.column = column
        }

        mutating func value(of key: ObjectKey) throws(StorageError) -> Scalar {
            if let leaf, let row = table.row(of: key, in: leaf) {
                return try table.value(column, at: RowLocation(leaf: leaf, row: row))
            }
            guard let location = try table.location(of: key) else {
                throw table.pager.noSuchObject(key)
            }
            leaf = location.leaf
            return try table.value(column, at: location)
        }
    }
}
