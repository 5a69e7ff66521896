/// A property that objects are sorted by: their own, or that of the object at the end of to-one
/// links.
public struct QueryOrder: Sendable, Hashable {
    /// Columns of links, each in the table that the previous one leads to.
    public var links: [Int]
    /// The column in the last table.
    public var column: Int
    public var isAscending: Bool

    public init(links: [Int] = [], column: Int, isAscending: Bool = true) {
        self.links = links
        self.column = column
        self.isAscending = isAscending
    }
}

/// Sorts objects by several properties, the most significant first, or keeps one object of each
/// group with equal properties.
///
/// In ascending order, null comes first, followed by values in the order of `ValueOrder`, then
/// objects without a value, because a link on the path is null. In descending order, those come
/// first. Objects that are equal in all properties keep their order. Values are read once for each
/// property that has to decide, so memory grows with the number of objects.
///
/// Used by the connection's thread. Nothing may be written during a call.
public struct QuerySorter {
    let keys: [QuerySortKey]

    /// - Throws: `.invalidArgument` for a collection, for a link as the last column, or for another
    ///   column on the path than a link.
    public init(_ table: Table, _ orders: [QueryOrder]) throws(StorageError) {
        keys = try orders.map { order throws(StorageError) in try QuerySortKey(table, order) }
    }

    /// The objects in order.
    ///
    /// - Throws: `.damaged`; `.invalidArgument` if one of the objects does not exist.
    public func sorted(_ objects: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        var ordinals = Array(objects.indices)
        try arrange(&ordinals, 0..<ordinals.count, of: objects, by: 0) { _ in }
        return ordinals.map { objects[$0] }
    }

    /// The first object of each group with equal properties, in the order given. Objects without a
    /// value, because a link on the path is null, are left out.
    ///
    /// - Throws: `.damaged`; `.invalidArgument` if one of the objects does not exist.
    public func distinct(_ objects: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        var ordinals = Array(objects.indices)
        for key in keys where !key.links.isEmpty {
            var reader = PathReader(key)
            var kept = 0
            for ordinal in ordinals where try reader.target(of: objects[ordinal]) != nil {
                ordinals[kept] = ordinal
                kept += 1
            }
            ordinals.removeSubrange(kept...)
        }
        var first: [Int] = []
        try arrange(&ordinals, 0..<ordinals.count, of: objects, by: 0) { first.append($0) }
        return first.sorted().map { objects[$0] }
    }

    /// The properties, the most significant first.
    public func explain() -> String { keys.map(\.text).joined(separator: ", ") }

    /// Sorts a part of the ordinals by the properties from `level` on, and visits the first of each
    /// group of equal ones.
    func arrange(
        _ ordinals: inout [Int], _ part: Range<Int>, of objects: [ObjectKey], by level: Int,
        _ visit: (Int) -> Void
    ) throws(StorageError) {
        guard level < keys.count, part.count > 1 else {
            if let first = part.first { visit(ordinals[first]) }
            return
        }
        let groups = try keys[level].arrange(&ordinals, part, of: objects)
        for (index, group) in groups.enumerated() {
            if index.isMultiple(of: PathReader.readsPerCheck) {
                try keys[level].table.pager.checkStop()
            }
            try arrange(&ordinals, group, of: objects, by: level + 1, visit)
        }
    }
}
