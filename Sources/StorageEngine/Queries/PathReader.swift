/// Reads the value at the end of some links, object after object. Neighbours often lie in one leaf,
/// which is tried first.
struct PathReader {
    private var links: [LeafReader]
    private var last: LeafReader

    init(_ key: QuerySortKey) {
        links = key.links.map { LeafReader($0.table, $0.column) }
        last = LeafReader(key.table, key.column)
    }

    /// Nil where a link on the way leads nowhere.
    mutating func value(of key: ObjectKey) throws -> Scalar? {
        guard let key = try target(of: key) else { return nil }
        return try last.value(of: key)
    }

    /// The object that the links lead to; nil where one of them leads nowhere.
    mutating func target(of key: ObjectKey) throws -> ObjectKey? {
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

        mutating func value(of key: ObjectKey) throws -> Scalar {
            if let leaf, let row = Table.row(of: key, in: leaf) {
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
