/// The references to the objects of a table, stored so that inverse relationships and deletions
/// need no scan, and where references from its objects are stored in turn.
///
/// A backlink column, which is a hidden one of the target's table, holds 0 (no reference),
/// `(origin << 1) | 1` (one reference), or 2 (several, which are in the property's map from
/// (target, origin) to a count). These marks are in the rows of the targets, so the functions that
/// read and write them are given the table, and need no more.
///
/// Of four words, so that functions that are not inlined get it in registers.
struct Backlinks: ~Copyable {
    /// A backlink column: its table, and its position there.
    struct Place {
        var table: Int
        var column: Int
    }

    private enum Mark {
        static let nobody: Int64 = 0
        static let several: Int64 = 2
        static func one(_ origin: ObjectKey) -> Int64 { origin.rawValue << 1 | 1 }
    }

    static let severalMap = OrderedMap(firstKeyKind: .integer, valueCount: 1)

    /// For each property with links to one table: the column that mirrors it. Raw memory, because
    /// setting or removing a link always reads it.
    private let places: OwnedBuffer<Place?>
    private let table: Int
    // The connection owns the table, and so outlives it.
    private let connection: Unmanaged<Connection>
    /// Writes trees that contain no objects.
    private let writer: TreeWriter

    init(_ table: Int, properties: Int, in connection: Connection, by writer: TreeWriter) {
        self.table = table
        self.connection = .passUnretained(connection)
        self.writer = writer
        places = OwnedBuffer(count: properties) { _ in nil }
    }

    /// Adopts a changed schema: other tables may have added backlink columns.
    func adopt(_ schema: StoredSchema) {
        for column in 0..<schema.tables[table].propertyCount {
            let type = schema.tables[table].columns[column].definition!.type
            let place =
                type.hasFixedTarget ? schema.backlinkColumn(ofTable: table, column: column) : nil
            places[column] = place.map { Place(table: $0.table, column: $0.column) }
        }
    }

    // MARK: Origins

    /// The backlink column of a property with links to one table; nil for other properties.
    @inline(__always)
    func place(of column: Int) -> Place? { places[column] }

    /// Records one more reference from `column` of `origin`, an object of this table, to `target`.
    func add(_ column: Int, from origin: ObjectKey, to target: TypedLink) throws(StorageError) {
        try withPlace(of: column, in: target.table) { table, position throws(StorageError) in
            try Self.add(at: position, from: origin, to: target.key, in: table)
        }
    }

    /// Records one reference less.
    func remove(_ column: Int, from origin: ObjectKey, to target: TypedLink) throws(StorageError) {
        try withPlace(of: column, in: target.table) { table, position throws(StorageError) in
            try Self.remove(at: position, from: origin, to: target.key, in: table)
        }
    }

    /// Calls `body` with the table with this number, and the position in it of the backlink column
    /// that mirrors `column`. Does not count a reference to the table.
    @inline(__always)
    func withPlace<R>(
        of column: Int, in number: Int,
        _ body: (_ table: Table, _ position: Int) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try connection.withReference { connection throws(StorageError) in
            if let place = places[column] {
                return try connection.uncountedTable(place.table)
                    .withReference { table throws(StorageError) in try body(table, place.column) }
            }
            guard number < connection.tableCount,
                let position = connection.schema.backlinkColumn(
                    ofTable: table, column: column, inTable: number)
            else { throw writer.pager.damaged(0, "a link without its backlink") }
            return try connection.uncountedTable(number)
                .withReference { table throws(StorageError) in try body(table, position) }
        }
    }

    /// Whether a target exists and may be linked to. (Only owners link to embedded objects.)
    func isThere(_ target: TypedLink) throws(StorageError) -> Bool {
        try connection.withReference { connection throws(StorageError) in
            guard target.table >= 0, target.table < connection.tableCount else { return false }
            return try connection.uncountedTable(target.table)
                .withReference { table throws(StorageError) in
                    if table.isEmbedded { return false }
                    return try table.contains(target.key)
                }
        }
    }

    // MARK: Targets

    /// Whether anything refers to an object through a column.
    @inline(__always)
    static func isTarget(
        _ position: Int, at location: RowLocation, in table: Table
    ) throws(StorageError) -> Bool {
        try mark(position, at: location, in: table) != Mark.nobody
    }

    static func mark(
        _ position: Int, at location: RowLocation, in table: Table
    ) throws(StorageError) -> Int64 {
        guard case .integer(let mark) = try table.value(position, at: location) else { return 0 }
        return mark
    }

    private static func mark(
        _ position: Int, _ target: ObjectKey, in table: Table
    ) throws(StorageError) -> Int64 {
        guard let location = try table.location(of: target) else {
            throw table.pager.noSuchObject(target)
        }
        return try mark(position, at: location, in: table)
    }

    private static func setMark(
        _ position: Int, _ target: ObjectKey, to mark: Int64, in table: Table
    ) throws(StorageError) {
        try table.store(.init(scalar: .integer(mark)), position, of: target)
    }

    private static func add(
        at position: Int, from origin: ObjectKey, to target: ObjectKey, in table: Table
    ) throws(StorageError) {
        let one = Mark.one(origin)
        if try table.exchange(position, of: target, from: Mark.nobody, to: one) { return }
        let mark = try mark(position, target, in: table)
        if mark == Mark.nobody {
            return try setMark(position, target, to: one, in: table)
        }
        if mark & 1 == 1 {
            try addToCount(
                1, position, from: ObjectKey(rawValue: mark >> 1), to: target, in: table)
            try setMark(position, target, to: Mark.several, in: table)
        }
        try addToCount(1, position, from: origin, to: target, in: table)
    }

    private static func remove(
        at position: Int, from origin: ObjectKey, to target: ObjectKey, in table: Table
    ) throws(StorageError) {
        try table.makeWritable(target)
        let one = Mark.one(origin)
        if try table.exchange(position, of: target, from: one, to: Mark.nobody) { return }
        let mark = try mark(position, target, in: table)
        if mark == one {
            return try setMark(position, target, to: Mark.nobody, in: table)
        }
        guard mark == Mark.several else {
            throw table.pager.damaged(0, "a link without its backlink")
        }
        try addToCount(-1, position, from: origin, to: target, in: table)
        // Returns to the short form, so that equal contents have equal bytes.
        var remaining: [(ObjectKey, Int64)] = []
        try forEachSeveral(position, target, in: table) { origin, count in
            remaining.append((origin, count))
            return remaining.count < 2
        }
        if remaining.count == 1, remaining[0].1 == 1 {
            try addToCount(-1, position, from: remaining[0].0, to: target, in: table)
            try setMark(position, target, to: Mark.one(remaining[0].0), in: table)
        } else if remaining.isEmpty {
            try setMark(position, target, to: Mark.nobody, in: table)
        }
    }

    /// Visits the objects that refer to `target` through the property mirrored by the backlink
    /// column at `position`, with the number of references of each, until `body` returns false.
    static func forEach(
        _ position: Int, _ target: ObjectKey, in table: Table,
        _ body: (ObjectKey, Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try forEach(position, target, marked: mark(position, target, in: table), in: table, body)
    }

    /// The same for a target with a mark that was just read.
    static func forEach(
        _ position: Int, _ target: ObjectKey, marked mark: Int64, in table: Table,
        _ body: (ObjectKey, Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if mark & 1 == 1 {
            _ = try body(ObjectKey(rawValue: mark >> 1), 1)
        } else if mark == Mark.several {
            try forEachSeveral(position, target, in: table, body)
        }
    }

    /// The objects that refer to `target`, with the number of references of each.
    static func origins(
        _ position: Int, _ target: ObjectKey, in table: Table
    ) throws(StorageError) -> [(origin: ObjectKey, count: Int)] {
        var origins: [(origin: ObjectKey, count: Int)] = []
        try forEach(position, target, in: table) { origin, count in
            origins.append((origin, Int(count)))
            return true
        }
        return origins
    }

    /// Removes all backlinks of `target` in a column, without changing the objects that refer to
    /// it.
    static func forget(_ position: Int, _ target: ObjectKey, in table: Table) throws(StorageError) {
        var entries: [(ObjectKey, Int64)] = []
        if try mark(position, target, in: table) == Mark.several {
            try forEachSeveral(position, target, in: table) { origin, count in
                entries.append((origin, count))
                return true
            }
        }
        for (origin, count) in entries {
            try addToCount(-count, position, from: origin, to: target, in: table)
        }
        try setMark(position, target, to: Mark.nobody, in: table)
    }

    // MARK: Several references

    /// The tree of the map from (target, origin) to a count, for the targets of a backlink column
    /// that have several references.
    private static func severalTree(_ position: Int, in table: Table) -> UInt32 {
        table.stored.columns[position].backlinks!.severalTreeID
    }

    private static func addToCount(
        _ difference: Int64, _ position: Int, from origin: ObjectKey, to target: ObjectKey,
        in table: Table
    ) throws(StorageError) {
        let tree = severalTree(position, in: table)
        let state = try table.forest.state(tree)
        state.pointee.isDirty = true
        let map = severalMap
        var count = difference
        if let (node, row) = try map.find(
            table.pager, state.pointee.root, first: .integer(target.rawValue),
            second: origin.rawValue)
        {
            count &+= node.integer(2, row)
        }
        if count > 0 {
            try map.set(
                table.backlinks.writer, &state.pointee.root, treeID: tree,
                first: .integer(target.rawValue), second: origin.rawValue,
                values: (count, 0, 0, 0, 0))
        } else {
            try map.remove(
                table.backlinks.writer, &state.pointee.root, first: .integer(target.rawValue),
                second: origin.rawValue)
        }
    }

    private static func forEachSeveral(
        _ position: Int, _ target: ObjectKey, in table: Table,
        _ body: (ObjectKey, Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let root = try table.forest.state(severalTree(position, in: table)).pointee.root
        try severalMap.forEach(
            table.pager, root, from: .integer(target.rawValue), second: Int64.min
        ) { node, row throws(StorageError) in
            guard node.integer(0, row) == target.rawValue else { return false }
            let count = node.integer(2, row)
            guard count >= 1, count <= Node.maximumRowsOfTree else {
                throw table.pager.damaged(
                    0, "an object cannot have \(count) references to another")
            }
            return try body(ObjectKey(rawValue: node.integer(1, row)), count)
        }
    }
}
