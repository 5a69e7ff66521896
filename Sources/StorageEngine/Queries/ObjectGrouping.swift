/// Objects being grouped by the values of a column.
///
/// Each leaf is read column by column: first the groups of its rows are found, then each further
/// column is added to the summaries of those groups. Nothing is allocated for a row.
struct ObjectGrouping: ~Copyable {
    private let table: Table
    private let column: Int
    private let columns: [Int]
    private var keys: GroupKeys
    /// The number of objects of each group.
    private var counts: [Int] = []
    /// The summaries of each group, for one of `columns` after the other.
    private var summaries: [[GroupSummary]]
    /// The summaries of no objects.
    private let empty: [GroupSummary]
    /// The group of each row of the current leaf, as far as the row is asked for.
    private var groups = OwnedBuffer<UInt32>(count: 0) { _ in 0 }
    private var rowCapacity = 0
    /// The rows of the current leaf whose key is null.
    private var nulls = RowMask()
    /// The groups of narrow numbers of the current leaf, by their deltas.
    private let groupOfDelta = OwnedBuffer<UInt32>(count: 1 << Self.narrowWidth) { _ in 0 }

    /// The most bits of numbers whose groups are found in an array.
    private static let narrowWidth = 8

    /// - Throws: `.invalidArgument` if objects cannot be grouped by the column, or if one of
    ///   `columns` is not numeric.
    init(_ table: Table, by column: Int, of columns: [Int]) throws(StorageError) {
        try table.requireGroups(column)
        var empty: [GroupSummary] = []
        for column in columns {
            empty.append(GroupSummary(kind: try table.kindOfNumbers(column)))
        }
        self.table = table
        self.column = column
        self.columns = columns
        self.empty = empty
        keys = GroupKeys(kind: table.checks[column].kind)
        summaries = Array(repeating: [], count: columns.count)
    }

    // MARK: Leaves

    /// Adds the objects of the selected rows of a leaf.
    ///
    /// - Throws: `.damaged`.
    mutating func add(_ rows: borrowing RowMask, _ scan: borrowing LeafScan) throws(StorageError) {
        if rowCapacity < scan.rowCount {
            rowCapacity = scan.rowCount
            groups = OwnedBuffer(count: rowCapacity) { _ in 0 }
        }
        try findGroups(of: rows, scan)
        makeRoom()
        let groups = groups.start
        counts.withUnsafeMutableBufferPointer { counts in
            rows.forEachRow { counts[Int(groups[$0])] &+= 1 }
        }
        for position in columns.indices { try add(position, rows, of: scan) }
    }

    /// Makes summaries for the groups that are new.
    private mutating func makeRoom() {
        let added = keys.count - counts.count
        if added == 0 { return }
        counts.append(contentsOf: repeatElement(0, count: added))
        for (position, empty) in empty.enumerated() {
            summaries[position].append(contentsOf: repeatElement(empty, count: added))
        }
    }

    private mutating func findGroups(
        of rows: borrowing RowMask, _ scan: borrowing LeafScan
    ) throws(StorageError) {
        let groups = groups.start
        guard let (node, place) = try table.column(column, of: scan.leaf) else {
            let group = keys.group(of: table.cluster.columns[column].defaultScalar)
            rows.forEachRow { groups[$0] = group }
            return
        }
        scan.prefetchNextLeaf(node, place)
        let kind = table.checks[column].kind
        guard kind.isPacked else {
            try rows.forEachRow { row throws(StorageError) in
                groups[row] = keys.group(of: try node.scalar(table.pager, kind, in: place, at: row))
            }
            return
        }
        if node.hasNulls(place) {
            nulls.assign(rows)
            nulls.formIntersection(nulls: node.nullWords(place))
            nulls.forEachRow { groups[$0] = keys.groupOfNull() }
        }
        let packed = PackedColumn(node, place)
        if kind == .integer {
            findGroups(packed, rows) { SortRank.of($0) }
        } else if !packed.zone.holdsImages {
            findGroups(packed, rows) { SortRank.of(Double($0)) }
        } else if kind == .double {
            findGroups(packed, rows) { SortRank.of(PackedNumbers.double(image: $0)) }
        } else {
            findGroups(packed, rows) { SortRank.of(Double(PackedNumbers.float(image: $0))) }
        }
    }

    /// Finds the groups of the rows that are not null.
    @inline(__always)
    private mutating func findGroups(
        _ packed: PackedColumn, _ rows: borrowing RowMask, _ rank: (Int64) -> UInt64
    ) {
        let selection = UnsafePointer(rows.words)
        let groups = groups.start
        let zone = packed.zone
        guard zone.width <= Self.narrowWidth, !zone.isRamp else {
            packed.forEach(selection) { groups[$0] = keys.group(ofRank: rank($1)) }
            return
        }
        let groupOfDelta = groupOfDelta.start
        groupOfDelta.update(repeating: GroupKeys.none, count: 1 << zone.width)
        packed.forEach(selection) { row, number in
            let delta = Int(truncatingIfNeeded: number &- zone.base)
            if groupOfDelta[delta] == GroupKeys.none {
                groupOfDelta[delta] = keys.group(ofRank: rank(number))
            }
            groups[row] = groupOfDelta[delta]
        }
    }

    /// Adds a column of the selected rows to the summaries of their groups.
    private mutating func add(
        _ position: Int, _ rows: borrowing RowMask, of scan: borrowing LeafScan
    ) throws(StorageError) {
        let column = columns[position]
        let place = try table.column(column, of: scan.leaf)
        let selection = UnsafePointer(rows.words)
        let (table, groups) = (table, groups.start)
        summaries[position].withUnsafeMutableBufferPointer { summaries in
            guard let (node, place) = place else {
                let value = table.cluster.columns[column].defaultScalar
                rows.forEachRow { summaries[Int(groups[$0])].add(value) }
                return
            }
            scan.prefetchNextLeaf(node, place)
            let packed = PackedColumn(node, place)
            let isWhole = !packed.zone.holdsImages
            switch packed.kind {
            case .double where isWhole:
                packed.forEach(selection) { summaries[Int(groups[$0])].add(Double($1)) }
            case .double:
                packed.forEach(selection) {
                    summaries[Int(groups[$0])].add(PackedNumbers.double(image: $1))
                }
            case .float where isWhole:
                packed.forEach(selection) { summaries[Int(groups[$0])].add(Float($1)) }
            case .float:
                packed.forEach(selection) {
                    summaries[Int(groups[$0])].add(PackedNumbers.float(image: $1))
                }
            default: packed.forEach(selection) { summaries[Int(groups[$0])].add($1) }
            }
        }
    }

    // MARK: Single objects

    /// Adds one object.
    ///
    /// - Throws: `.damaged`.
    mutating func add(_ location: RowLocation) throws(StorageError) {
        let group = Int(keys.group(of: try table.value(column, at: location)))
        makeRoom()
        counts[group] += 1
        for (position, column) in columns.enumerated() {
            summaries[position][group].add(try table.value(column, at: location))
        }
    }

    // MARK: The result

    /// The groups in the order of their values.
    func inOrder() -> [ValueGroup] {
        var ordered: [GroupSummary] = []
        ordered.reserveCapacity(counts.count * columns.count)
        var order: [(group: Int, key: OwnedScalar)] = []
        order.reserveCapacity(counts.count)
        let summaries = summaries
        keys.forEachInOrder { group, key in
            order.append((group, key))
            for column in summaries { ordered.append(column[group]) }
        }
        return order.enumerated().map { place, entry in
            let first = place * columns.count
            return ValueGroup(
                key: entry.key, count: counts[entry.group],
                summaries: ordered[first..<first + columns.count])
        }
    }
}

extension Table {
    /// Whether objects can be grouped by a property of a type: whether equal values have equal
    /// ranks or bytes, and no value refers to an object.
    public static func canGroup(by type: ValueType) -> Bool {
        switch type.traits.order {
        case .integers, .numbers, .bytes: type.traits.reference == .none
        case .decimals, .links, .mixed: false
        }
    }

    fileprivate func requireGroups(_ column: Int) throws(StorageError) {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        let definition = definition.columns[column]
        if definition.collection == .none, Self.canGroup(by: definition.type) { return }
        throw pager.invalidArgument(
            "Objects cannot be grouped by column '\(queryName(of: column))', which is a "
                + "collection, link, decimal or mixed value.")
    }
}
