/// Backlinks: the references to an object, stored so that inverse relationships and deletions need
/// no scan.
///
/// A backlink column holds 0 (no reference), `(origin << 1) | 1` (one reference), or 2 (several,
/// which are in the property's map from (target, origin) to a count).
extension Table {
    private enum Mark {
        static let nobody: Int64 = 0
        static let several: Int64 = 2
        static func one(_ origin: ObjectKey) -> Int64 { origin.rawValue << 1 | 1 }
    }

    static let severalMap = OrderedMap(firstKeyKind: .integer, valueCount: 1)

    /// Records one more reference from `column` of `origin` to `target`.
    func addBacklink(_ column: Int, from origin: ObjectKey, to target: TypedLink) throws {
        let (table, position) = try uncountedBacklinkColumn(column, toTable: target.table)
        try table._withUnsafeGuaranteedRef {
            try $0.addBacklink(at: position, from: origin, to: target.key)
        }
    }

    func removeBacklink(_ column: Int, from origin: ObjectKey, to target: TypedLink) throws {
        let (table, position) = try uncountedBacklinkColumn(column, toTable: target.table)
        try table._withUnsafeGuaranteedRef {
            try $0.removeBacklink(at: position, from: origin, to: target.key)
        }
    }

    /// The table with this number, and the position in it of the backlink column that mirrors
    /// `column`.
    func backlinkColumn(_ column: Int, toTable number: Int) throws -> (table: Table, column: Int) {
        let (table, position) = try uncountedBacklinkColumn(column, toTable: number)
        return (table.takeUnretainedValue(), position)
    }

    /// The same without counting a reference to the table; valid as long as the connection's
    /// schema.
    @inline(__always)
    private func uncountedBacklinkColumn(
        _ column: Int, toTable number: Int
    ) throws -> (table: Unmanaged<Table>, column: Int) {
        try uncountedConnection._withUnsafeGuaranteedRef { connection in
            if let (table, position) = backlinkColumns[column] {
                return (connection.uncountedTable(table), position)
            }
            guard number < connection.tableCount,
                let position = connection.schema.backlinkColumn(
                    ofTable: index, column: column, inTable: number)
            else { throw pager.damaged(0, "a link without its backlink") }
            return (connection.uncountedTable(number), position)
        }
    }

    private func mark(_ position: Int, _ target: ObjectKey) throws -> Int64 {
        guard let location = try location(of: target) else {
            throw connection.pager.noSuchObject(target)
        }
        return try mark(position, at: location)
    }

    private func mark(_ position: Int, at location: RowLocation) throws -> Int64 {
        guard case .integer(let mark) = try value(position, at: location) else { return 0 }
        return mark
    }

    private func setMark(_ position: Int, _ target: ObjectKey, _ mark: Int64) throws {
        try store(.init(scalar: .integer(mark)), position, of: target)
    }

    private func severalState(_ position: Int) throws -> UnsafeMutablePointer<Forest.State> {
        try connection.forest.state(stored.columns[position].backlinks!.severalTreeID)
    }

    private func addBacklink(at position: Int, from origin: ObjectKey, to target: ObjectKey) throws
    {
        let mark = try mark(position, target)
        if mark == Mark.nobody { return try setMark(position, target, Mark.one(origin)) }
        if mark & 1 == 1 {
            try changeCount(position, target, ObjectKey(rawValue: mark >> 1), by: 1)
            try setMark(position, target, Mark.several)
        }
        try changeCount(position, target, origin, by: 1)
    }

    private func removeBacklink(at position: Int, from origin: ObjectKey, to target: ObjectKey)
        throws
    {
        try makeWritable(target)
        let mark = try mark(position, target)
        if mark == Mark.one(origin) { return try setMark(position, target, Mark.nobody) }
        guard mark == Mark.several else {
            throw connection.pager.damaged(0, "a link without its backlink")
        }
        try changeCount(position, target, origin, by: -1)
        // Returns to the short form, so that equal contents have equal bytes.
        var remaining: [(ObjectKey, Int64)] = []
        try forEachSeveral(position, target) { origin, count in
            remaining.append((origin, count))
            return remaining.count < 2
        }
        if remaining.count == 1, remaining[0].1 == 1 {
            try changeCount(position, target, remaining[0].0, by: -1)
            try setMark(position, target, Mark.one(remaining[0].0))
        } else if remaining.isEmpty {
            try setMark(position, target, Mark.nobody)
        }
    }

    private func changeCount(
        _ position: Int, _ target: ObjectKey, _ origin: ObjectKey, by difference: Int64
    ) throws {
        let state = try severalState(position)
        state.pointee.isDirty = true
        let map = Self.severalMap
        let pager = connection.pager
        var count = difference
        if let (node, row) = try map.find(
            pager, state.pointee.root, .integer(target.rawValue), origin.rawValue)
        {
            count &+= node.integer(2, row)
        }
        if count > 0 {
            try map.set(
                quietWriter, &state.pointee.root,
                treeID: stored.columns[position].backlinks!.severalTreeID,
                .integer(target.rawValue), origin.rawValue, values: (count, 0, 0, 0, 0))
        } else {
            try map.remove(
                quietWriter, &state.pointee.root, .integer(target.rawValue), origin.rawValue)
        }
    }

    private func forEachSeveral(
        _ position: Int, _ target: ObjectKey, _ body: (ObjectKey, Int64) throws -> Bool
    ) throws {
        let root = try severalState(position).pointee.root
        try Self.severalMap.forEach(
            connection.pager, root, from: .integer(target.rawValue), Int64.min
        ) { node, row in
            guard node.integer(0, row) == target.rawValue else { return false }
            let count = node.integer(2, row)
            guard count >= 1, count <= Node.maximumRowsOfTree else {
                throw pager.damaged(0, "an object cannot have \(count) references to another")
            }
            return try body(ObjectKey(rawValue: node.integer(1, row)), count)
        }
    }

    /// Visits the objects that refer to `target` through the property mirrored by the backlink
    /// column at `position`, with the number of references of each, until `body` returns false.
    func forEachBacklink(
        _ position: Int, _ target: ObjectKey, _ body: (ObjectKey, Int64) throws -> Bool
    ) throws {
        try forEachBacklink(position, target, marked: mark(position, target), body)
    }

    private func forEachBacklink(
        _ position: Int, _ target: ObjectKey, marked mark: Int64,
        _ body: (ObjectKey, Int64) throws -> Bool
    ) throws {
        if mark & 1 == 1 {
            _ = try body(ObjectKey(rawValue: mark >> 1), 1)
        } else if mark == Mark.several {
            try forEachSeveral(position, target, body)
        }
    }

    /// Visits the objects of this table that refer to `target`, in the order of their keys, until
    /// `body` returns false. `column` is one of links to the target's table, or of collections of
    /// such links. `body` also gets the number of references from each object. O(log n) plus the
    /// number of these objects.
    public func forEachReference(
        to target: ObjectKey, in column: Int, _ body: (ObjectKey, Int) throws -> Bool
    ) throws {
        try withBacklinkColumn(column) { table, position in
            try table.forEachBacklink(position, target) { try body($0, Int($1)) }
        }
    }

    /// ``forEachReference(to:in:_:)`` for a target whose row was just found in its table.
    public func forEachReference(
        to target: ObjectKey, at location: RowLocation, in column: Int,
        _ body: (ObjectKey, Int) throws -> Bool
    ) throws {
        try withBacklinkColumn(column) { table, position in
            let mark = try table.mark(position, at: location)
            try table.forEachBacklink(position, target, marked: mark) { try body($0, Int($1)) }
        }
    }

    /// Calls `body` with the table that a column leads to, and the position in it of the backlink
    /// column that mirrors the column. Does not count a reference to the table.
    @inline(__always)
    private func withBacklinkColumn(
        _ column: Int, _ body: (_ table: Table, _ position: Int) throws -> Void
    ) throws {
        guard let (table, position) = backlinkColumns[column] else {
            throw pager.invalidArgument(
                "Column \(name(of: column)) does not lead to one table.")
        }
        try uncountedConnection._withUnsafeGuaranteedRef {
            try $0.uncountedTable(table)._withUnsafeGuaranteedRef { try body($0, position) }
        }
    }

    /// The number of references to `target` from other objects, by links of all types and
    /// collections of them.
    public func backlinkCount(of target: ObjectKey) throws -> Int {
        var total = 0
        for position in stored.columns.indices where stored.columns[position].backlinks != nil {
            try forEachBacklink(position, target) { _, count in
                total &+= Int(count)
                return true
            }
        }
        return total
    }

    /// The objects that refer to `target`, with the number of references of each.
    func backlinks(_ position: Int, _ target: ObjectKey) throws -> [(
        origin: ObjectKey, count: Int
    )] {
        var origins: [(origin: ObjectKey, count: Int)] = []
        try forEachBacklink(position, target) { origin, count in
            origins.append((origin, Int(count)))
            return true
        }
        return origins
    }

    /// Removes all backlinks of `target` in a column, without changing the objects that refer to
    /// it.
    func forgetBacklinks(_ position: Int, _ target: ObjectKey) throws {
        var entries: [(ObjectKey, Int64)] = []
        if try mark(position, target) == Mark.several {
            try forEachSeveral(position, target) { origin, count in
                entries.append((origin, count))
                return true
            }
        }
        for (origin, count) in entries { try changeCount(position, target, origin, by: -count) }
        try setMark(position, target, Mark.nobody)
    }
}
