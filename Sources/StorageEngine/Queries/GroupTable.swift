/// The groups of some objects: their values, how many objects they have, and aggregates of further
/// columns.
///
/// It knows columns only as the nodes that hold them, so that a thread can fill a table of its own;
/// see ``SharedWork``. Such tables are merged in the end.
struct GroupTable: ~Copyable {
    private var keys: GroupKeys
    /// The number of objects of each group.
    private var counts: [Int] = []
    /// The summaries of each group, for one of the columns after the other.
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

    /// - Parameters:
    ///   - kind: the kind of the column whose values make the groups.
    ///   - empty: a summary of no objects for each numeric column that is aggregated.
    init(by kind: ColumnKind, of empty: [GroupSummary]) {
        keys = GroupKeys(kind: kind)
        self.empty = empty
        summaries = Array(repeating: [], count: empty.count)
    }

    /// A table of no groups, for the same columns.
    func emptied() -> GroupTable { GroupTable(by: keys.kind, of: empty) }

    /// The number of groups.
    var count: Int { keys.count }

    /// The number of objects of the largest group.
    var largestCount: Int { counts.max() ?? 0 }

    // MARK: Leaves

    /// Begins a leaf. The groups of its rows are to be set or found, then counted, then each column
    /// is added.
    mutating func begin(rows rowCount: Int) {
        if rowCapacity < rowCount {
            rowCapacity = rowCount
            groups = OwnedBuffer(count: rowCapacity) { _ in 0 }
        }
    }

    /// Gives all selected rows the group of one value.
    mutating func setGroups(of rows: borrowing RowMask, to value: Scalar) {
        let groups = groups.start
        let group = keys.group(of: value)
        rows.forEachRow { groups[$0] = group }
    }

    mutating func setGroup(of row: Int, to value: Scalar) { groups[row] = keys.group(of: value) }

    /// Finds the groups of the selected rows by a column of numbers.
    mutating func findGroups(of rows: borrowing RowMask, by node: Node, at place: Int) {
        if node.hasNulls(place) {
            let groups = groups.start
            nulls.assign(rows)
            nulls.formIntersection(nulls: node.nullWords(place))
            nulls.forEachRow { groups[$0] = keys.groupOfNull() }
        }
        let packed = PackedColumn(node, place)
        let kind = packed.kind
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

    /// Counts the selected rows, whose groups are known.
    mutating func count(_ rows: borrowing RowMask) {
        makeRoom()
        let groups = groups.start
        counts.withUnsafeMutableBufferPointer { counts in
            rows.forEachRow { counts[Int(groups[$0])] &+= 1 }
        }
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

    /// Adds a column of the selected rows to the summaries of their groups.
    ///
    /// - Parameter position: the position of the column among those that are aggregated.
    mutating func add(
        _ position: Int, of rows: borrowing RowMask, in node: Node, at place: Int
    ) {
        let selection = UnsafePointer(rows.words)
        let groups = groups.start
        summaries[position].withUnsafeMutableBufferPointer { summaries in
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

    /// Adds one value for each of the selected rows.
    mutating func add(_ position: Int, of rows: borrowing RowMask, all value: Scalar) {
        let groups = groups.start
        summaries[position].withUnsafeMutableBufferPointer { summaries in
            rows.forEachRow { summaries[Int(groups[$0])].add(value) }
        }
    }

    // MARK: Single objects

    /// Adds one object to the group of a value, which is returned.
    mutating func addObject(_ key: Scalar) -> Int {
        let group = Int(keys.group(of: key))
        makeRoom()
        counts[group] += 1
        return group
    }

    mutating func add(_ position: Int, of group: Int, value: Scalar) {
        summaries[position][group].add(value)
    }

    // MARK: Merging

    /// Adds the groups of other objects. Sums of floating point are those of adding the objects
    /// one by one only if these sums have no fractions and are below 2^53, as all those before.
    mutating func merge(_ other: borrowing GroupTable) {
        for place in 0..<other.count {
            let group = Int(keys.group(place, of: other.keys))
            makeRoom()
            counts[group] += other.counts[place]
            for position in summaries.indices {
                summaries[position][group].merge(other.summaries[position][place])
            }
        }
    }

    // MARK: The result

    /// The groups in the order of their values.
    func inOrder() -> [ValueGroup] {
        let columnCount = summaries.count
        var ordered: [GroupSummary] = []
        ordered.reserveCapacity(counts.count * columnCount)
        var order: [(group: Int, key: OwnedScalar)] = []
        order.reserveCapacity(counts.count)
        let summaries = summaries
        keys.forEachInOrder { group, key in
            order.append((group, key))
            for column in summaries { ordered.append(column[group]) }
        }
        return order.enumerated().map { place, entry in
            let first = place * columnCount
            return ValueGroup(
                key: entry.key, count: counts[entry.group],
                summaries: ordered[first..<first + columnCount])
        }
    }
}
