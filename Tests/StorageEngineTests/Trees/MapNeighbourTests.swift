import Testing
import ToolSupport

@testable import StorageEngine

/// Full leaves of maps move rows to their neighbours before they are split, and leaves that have
/// lost rows are merged.
@Suite struct MapNeighbourTests {
    private let directory = TestDirectory()

    enum Order: CaseIterable {
        case ascending, descending, decimal, decimalDescending, interleaved, random
    }

    /// The numbers of entries in the order of insertion.
    private static func numbers(_ order: Order, _ count: Int) -> [Int] {
        let ascending = Array(0..<count)
        switch order {
        case .ascending, .decimal: return ascending
        case .descending, .decimalDescending: return ascending.reversed()
        case .interleaved:
            // Four runs are interleaved, each in a quarter of its own, two of them descending.
            let quarter = count / 4
            var numbers: [Int] = []
            for i in 0..<quarter {
                numbers += [i, 2 * quarter - 1 - i]
                numbers += [2 * quarter + i, 4 * quarter - 1 - i]
            }
            return numbers
        case .random:
            var random = SeededGenerator(seed: 11)
            return ascending.shuffled(using: &random)
        }
    }

    private static func withKey<R>(
        _ number: Int, _ kind: ColumnKind, _ order: Order,
        _ body: (OrderedMap.FirstKey) throws -> R
    ) rethrows -> R {
        if kind == .integer { return try body(.integer(Int64(number) * 977)) }
        var text = String(number)
        if order != .decimal, order != .decimalDescending {
            text = String(repeating: "0", count: 7 - text.count) + text
        }
        return try text.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
    }

    /// Returns the share of used bytes, and the number of leaves, of a map.
    private static func fill(_ pager: Pager, _ root: TreeRoot, _ map: OrderedMap) throws -> (
        share: Double, leaves: Int
    ) {
        var used = 0
        var size = 0
        var leaves = 0
        try forEachNode(pager, root, format: map.format) { _, node in
            guard node.level == 0 else { return }
            leaves += 1
            used += NodeDraft.packedBytes(node)
            size += node.pageCount * pager.pageSize
        }
        return (Double(used) / Double(size), leaves)
    }

    // MARK: Fill

    @Test(arguments: Order.allCases, [ColumnKind.integer, .bytes])
    func leavesAreWellFilled(order: Order, kind: ColumnKind) throws {
        try withWriter { pager, writer in
            let map = OrderedMap(firstKeyKind: kind, valueCount: 0)
            var root = TreeRoot.empty
            // Object keys are in random order, because leaves of ramps would be filled differently.
            var random = SeededGenerator(seed: 3)
            for number in Self.numbers(order, 40_000) {
                let second = Int64(random.next(below: 1 << 30))
                try Self.withKey(number, kind, order) { key in
                    let isNew = try map.insertUnique(
                        writer, &root, treeID: 3, first: key, second: second)
                    try #require(isNew)
                }
            }
            let fill = try Self.fill(pager, root, map)
            let wanted =
                switch order {
                case .ascending, .decimal: 0.88
                // A full leaf whose keys then share more bytes has room again, but the run is over.
                case .decimalDescending where kind == .bytes: 0.75
                case .descending, .decimalDescending, .interleaved, .random: 0.78
                }
            #expect(fill.share >= wanted, "\(order): \(fill)")
        }
    }

    /// An index receives its entries in sorted transactions.
    @Test func leavesOfSortedChangesAreWellFilled() throws {
        try withWriter { pager, writer in
            let map = OrderedMap(firstKeyKind: .integer, valueCount: 0)
            var root = TreeRoot.empty
            var random = SeededGenerator(seed: 5)
            for _ in 0..<60 {
                var changes = MapChanges(firstKeyKind: .integer)
                for _ in 0..<500 {
                    let key = Int64(random.next(below: 1 << 40))
                    changes.append(.integer(key), key >> 8, isRemoval: false)
                }
                try map.make(&changes, writer, in: &root, treeID: 3)
            }
            let fill = try Self.fill(pager, root, map)
            #expect(fill.share >= 0.78, "\(fill)")
        }
    }

    @Test(arguments: [ColumnKind.integer, .bytes], [true, false])
    func leavesThatLostRowsAreMerged(kind: ColumnKind, together: Bool) throws {
        try withWriter { pager, writer in
            let map = OrderedMap(firstKeyKind: kind, valueCount: 0)
            var root = TreeRoot.empty
            var random = SeededGenerator(seed: 7)
            let seconds = (0..<30_000).map { _ in Int64(random.next(below: 1 << 30)) }
            for number in seconds.indices {
                try Self.withKey(number, kind, .ascending) {
                    _ = try map.set(writer, &root, treeID: 3, first: $0, second: seconds[number])
                }
            }
            let before = try Self.fill(pager, root, map)
            let pagesBefore = try Self.nodes(pager, root, map)
            let gone = seconds.indices.filter { $0 % 12 != 0 }.shuffled(using: &random)
            if together {
                var changes = MapChanges(firstKeyKind: kind)
                for number in gone {
                    Self.withKey(number, kind, .ascending) {
                        changes.append($0, seconds[number], isRemoval: true)
                    }
                }
                try map.make(&changes, writer, in: &root, treeID: 3)
            } else {
                for number in gone {
                    let isRemoved = try Self.withKey(number, kind, .ascending) {
                        try map.remove(writer, &root, first: $0, second: seconds[number])
                    }
                    try #require(isRemoved)
                }
            }
            let after = try Self.fill(pager, root, map)
            #expect(after.leaves <= before.leaves / 4, "\(before) became \(after)")
            #expect(try Self.nodes(pager, root, map) < pagesBefore)
            var position = 0
            try map.forEach(pager, root, fromPosition: 0) { leaf, row throws(StorageError) in
                let isRight = leaf.integer(1, row) == seconds[position]
                #expect(isRight, "position \(position)")
                position += 12
                return isRight
            }
            #expect(position == seconds.count)
        }
    }

    // MARK: Against a model

    /// Entries come and go in runs and at random, one by one and together, between rollbacks. A
    /// reader still finds the contents of its version.
    @Test(arguments: 1...4 as ClosedRange<UInt64>, [4096, 16384])
    func mapsHoldWhatADictionaryHolds(seed: UInt64, pageSize: Int) throws {
        var random = SeededGenerator(seed: seed)
        let path = directory.file("\(seed)-\(pageSize)")
        let connection = try Connection(
            Database.open(path: path, options: .init(pageSize: pageSize)))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [
                    ColumnDefinition(name: "key", type: .string, isPrimaryKey: true),
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                    ColumnDefinition(name: "text", type: .string, isIndexed: true),
                ])
        ])
        try connection.commit()
        let table = try #require(try connection.table(named: "Row"))
        var model: [Int: ObjectKey] = [:]
        for round in 0..<10 {
            let before = model
            let reader = try Connection(connection.database)
            let readerTable = try #require(try reader.table(named: "Row"))
            try connection.beginWrite()
            for _ in 0..<4 {
                if random.next(below: 3) == 0 {
                    let share = [10, 50, 95][random.next(below: 3)]
                    let gone = model.keys.sorted().filter { _ in random.next(below: 100) < share }
                    try remove(gone, from: table, &model, together: random.next(below: 2) == 0)
                } else {
                    try add(to: table, &model, &random)
                }
            }
            if random.next(below: 4) == 0 {
                connection.rollback()
                model = before
            } else {
                try connection.commit()
            }
            try check(table, model, &random)
            try #require(try connection.verify() == [], "seed \(seed), round \(round)")
            try check(readerTable, before, &random)
        }
    }

    private func add(
        to table: Table, _ model: inout [Int: ObjectKey], _ random: inout SeededGenerator
    ) throws {
        let start = random.next(below: 10_000)
        let step = [1, -1, 7, 4999][random.next(below: 4)]
        for count in 0..<500 + random.next(below: 1500) {
            let number = (start + count * step + 20_000_000) % 20_000
            guard model[number] == nil else { continue }
            model[number] = try table.insert(owned: [
                OracleValue(String(number)), .integer(Int64(number % 97)),
                OracleValue("a text that many share \(number / 3)"),
            ])
        }
    }

    private func remove(
        _ gone: [Int], from table: Table, _ model: inout [Int: ObjectKey], together: Bool
    ) throws {
        let keys = gone.map { model.removeValue(forKey: $0)! }
        if together { return try table.delete(keys) }
        for key in keys { try table.delete(key) }
    }

    private func check(
        _ table: Table, _ model: [Int: ObjectKey], _ random: inout SeededGenerator
    ) throws {
        try #require(try table.count() == model.count)
        for _ in 0..<500 {
            let number = random.next(below: 20_000)
            let found = try OracleValue(String(number)).withScalar {
                try table.find(primaryKey: $0)
            }
            try #require(found == model[number], "\(number)")
        }
    }

    /// Branches are full of separators of up to 255 bytes, which become longer and shorter as rows
    /// move between the leaves below.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func keysOfAllLengthsStayInOrder(seed: UInt64) throws {
        try withWriter { pager, writer in
            let map = OrderedMap(firstKeyKind: .bytes, valueCount: 0)
            var root = TreeRoot.empty
            var random = SeededGenerator(seed: seed)
            var model: [String: Int64] = [:]
            // Keys are mostly long, mostly short, or of both lengths.
            let longOneIn = [1, 2, 8][Int(seed % 3)]
            for round in 0..<6 {
                let start = random.next(below: 9000)
                let step = [1, -1, 7, 2503][random.next(below: 4)]
                for count in 0..<1500 {
                    var key = String(1_000_000 + (start + count * step + 9_000_000) % 9000)
                    let isLong = random.next(below: longOneIn) == 0
                    let length = isLong ? 200 + random.next(below: 56) : 7 + random.next(below: 9)
                    key += String(repeating: "x", count: length - key.utf8.count)
                    guard model[key] == nil else { continue }
                    let second = Int64(random.next(below: 1 << 30))
                    model[key] = second
                    try key.withUTF8 {
                        _ = try map.set(
                            writer, &root, treeID: 3, first: .bytes(UnsafeRawBufferPointer($0)),
                            second: second)
                    }
                }
                for var key in model.keys.sorted() where random.next(below: 6) < round {
                    let removed = model.removeValue(forKey: key)
                    let second = try #require(removed)
                    let isRemoved = try key.withUTF8 {
                        try map.remove(
                            writer, &root, first: .bytes(UnsafeRawBufferPointer($0)),
                            second: second)
                    }
                    try #require(isRemoved)
                }
                var rest = model.keys.sorted()[...]
                try map.forEach(pager, root, fromPosition: 0) { leaf, row throws(StorageError) in
                    guard let key = rest.popFirst() else {
                        Issue.record("The map has more entries than the model.")
                        return false
                    }
                    let isRight =
                        try leaf.withKey(0, row) { $0.elementsEqual(key.utf8) }
                        && leaf.integer(1, row) == model[key]
                    #expect(isRight, "the entry \(key)")
                    return isRight
                }
                try #require(rest.isEmpty && root.count == model.count)
            }
        }
    }

    // MARK: Damage

    /// A neighbour is refused if its keys do not precede the leaf's, or if its number of rows
    /// differs from that in its branch.
    @Test(arguments: [true, false])
    func aNeighbourThatDoesNotBelongIsRefused(isOrder: Bool) throws {
        try withWriter { pager, writer in
            let map = OrderedMap(firstKeyKind: .integer, valueCount: 0)
            var root = TreeRoot.empty
            var random = SeededGenerator(seed: 1)
            for number in 0..<2000 as Range<Int64> {
                let second = Int64(random.next(below: 1 << 30))
                try map.set(
                    writer, &root, treeID: 3, first: .integer(number * 1_000_000), second: second)
            }
            try #require(root.level == 1)
            // The keys belong to the second leaf, which is full. The first leaf gets room and the
            // damage.
            let branch = try pager.root(of: root, map.format)
            let low = branch.integer(BranchColumn.key, 1)
            let first = try writer.descend(&root, map.format) { _ in 0 }
            let rows = first.rowCount
            first.removeRows(rows / 4..<rows - (isOrder ? 1 : 0))
            if isOrder {
                let last = first.rowCount - 1
                #expect(first.setInteger(0, last, to: low + 1_000_000))
                try writer.addToCounts(&root, first.rowCount - rows)
            }
            #expect(
                errorCode {
                    for number in 1...2000 as ClosedRange<Int64> {
                        try map.set(
                            writer, &root, treeID: 3, first: .integer(low + number), second: number)
                    }
                } == .damaged)
        }
    }

    // MARK: Support

    private static func nodes(_ pager: Pager, _ root: TreeRoot, _ map: OrderedMap) throws -> Int {
        var count = 0
        try forEachNode(pager, root, format: map.format) { _, _ in count += 1 }
        return count
    }

    private func withWriter(
        pageSize: Int = 4096, _ body: (Pager, TreeWriter) throws -> Void
    ) throws {
        let pager = try Pager(database: Database.open(path: directory.file()))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        try pager.beginRead()
        try pager.beginWrite()
        try body(pager, TreeWriter(pager: pager, layoutStamp: stamp))
        pager.rollback()
    }
}
