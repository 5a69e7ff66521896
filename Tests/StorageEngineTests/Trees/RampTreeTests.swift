import Testing
import ToolSupport

@testable import StorageEngine

/// Maps and tables of keys that ascend by one, compared with models. Their leaves are ramps until
/// an entry is removed, or inserted between others.
@Suite struct RampTreeTests {
    private let directory = TestDirectory()

    // MARK: Maps

    @Test(arguments: 0..<4 as Range<UInt64>)
    func mapsOfNeighboursHoldWhatASetHolds(seed: UInt64) throws {
        let pager = try Pager(database: Database.open(path: directory.file()))
        let stamp = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        stamp.initialize(to: 0)
        defer { stamp.deallocate() }
        let writer = TreeWriter(pager: pager, layoutStamp: stamp)
        let map = OrderedMap(firstKeyKind: .integer, valueCount: 0)
        var random = SeededGenerator(seed: seed)
        let base = ([.min, -50_000, 1 << 40, .max - 149_999] as [Int64])[Int(seed)]
        var root = TreeRoot.empty
        var model = Set<Int64>()
        try pager.beginRead()
        try pager.beginWrite()
        // There are so many keys that leaves of ramps have the largest number of rows.
        for key in 0..<100_000 as Range<Int64> {
            try map.set(writer, &root, treeID: 3, first: .integer(base + key), second: key)
            model.insert(key)
        }
        var leaves = 0
        try forEachNode(pager, root, format: map.format) { _, node in
            leaves += node.level == 0 ? 1 : 0
        }
        #expect(leaves <= 4)
        for round in 0..<12 {
            if round % 2 == 0 {
                for _ in 0..<200 {
                    let key = Int64(random.next(below: 100_000))
                    let isRemoved = try map.remove(
                        writer, &root, first: .integer(base + key), second: key)
                    try #require(isRemoved == (model.remove(key) != nil))
                }
            } else {
                var changes = MapChanges(firstKeyKind: .integer)
                let start = random.next(below: 100_000)
                let span = [30, 3000, 100_000][random.next(below: 3)]
                for _ in 0..<300 {
                    let key = Int64((start + random.next(below: span)) % 100_000)
                    let isRemoval = model.contains(key)
                    if isRemoval { model.remove(key) } else { model.insert(key) }
                    changes.append(.integer(base + key), key, isRemoval: isRemoval)
                }
                try map.make(&changes, writer, in: &root, treeID: 3)
            }
            // Some keys are inserted again, one by one, and the end is continued.
            for _ in 0..<100 {
                let key = Int64(random.next(below: 100_000))
                try map.set(writer, &root, treeID: 3, first: .integer(base + key), second: key)
                model.insert(key)
            }
            for key in 100_000 + round * 50..<100_000 + (round + 1) * 50 {
                try map.set(
                    writer, &root, treeID: 3, first: .integer(base + Int64(key)),
                    second: Int64(key))
                model.insert(Int64(key))
            }
            try check(map, pager, root, model, base)
        }
        while let key = model.randomElement(), model.count > 90_000 {
            try #require(try map.remove(writer, &root, first: .integer(base + key), second: key))
            model.remove(key)
        }
        try check(map, pager, root, model, base)
        pager.rollback()
    }

    private func check(
        _ map: OrderedMap, _ pager: Pager, _ root: TreeRoot, _ model: Set<Int64>, _ base: Int64
    ) throws {
        var keys: [Int64] = []
        try map.forEach(pager, root, fromPosition: 0) { leaf, row throws(StorageError) in
            let isRight = leaf.integer(0, row) &- base == leaf.integer(1, row)
            #expect(isRight, "entry \(keys.count)")
            keys.append(leaf.integer(1, row))
            return isRight
        }
        let isEqual = keys == model.sorted()
        try #require(isEqual && root.count == keys.count)
        for position in stride(from: 0, to: keys.count, by: 997) {
            let key = keys[position]
            try #require(try map.firstSecondKey(pager, root, of: .integer(base + key)) == key)
            try #require(
                try map.position(pager, root, of: .integer(base + key), second: key) == position)
        }
        try forEachNode(pager, root, format: map.format) { reference, node throws(StorageError) in
            let page = UnsafeRawBufferPointer(
                start: node.base, count: node.pageCount * pager.pageSize)
            #expect(Node.problem(in: page) == nil, "page \(reference.page)")
        }
    }

    // MARK: Tables

    private struct Row: Equatable {
        var key: Int64
        var optional: Int64?
        var small: Int64
    }

    private static let definition = TableDefinition(
        name: "Row",
        columns: [
            ColumnDefinition(name: "key", type: .int, isPrimaryKey: true),
            ColumnDefinition(name: "optional", type: .int, isOptional: true),
            ColumnDefinition(name: "small", type: .int),
        ])

    @Test(arguments: 0..<6 as Range<UInt64>)
    func tablesOfNeighboursHoldWhatADictionaryHolds(seed: UInt64) throws {
        let path = directory.file()
        var random = SeededGenerator(seed: seed)
        let base = ([0, .min, .max - 60_000, -20_000, 1 << 31, 7] as [Int64])[Int(seed)]
        var next: Int64 = 0
        var model: [Int64: Row] = [:]
        var connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        try connection.commit()
        for round in 0..<14 {
            let table = try #require(try connection.table(named: "Row"))
            try connection.beginWrite()
            let before = model
            let count = round == 0 ? 6000 : random.next(below: 1500)
            try insert(count, table, base, &next, &model, &random)
            try change(table, &model, &random)
            if round % 5 == 4 {
                connection.rollback()
                model = before
            } else {
                try connection.commit()
            }
            if round % 4 == 3 { connection = try Connection(Database.open(path: path)) }
            try check(connection, model, base, &random)
        }
    }

    private func insert(
        _ count: Int, _ table: Table, _ base: Int64, _ next: inout Int64,
        _ model: inout [Int64: Row], _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<count {
            // Now and then there is a gap, and a null in a column that also ascends.
            if random.next(below: 500) == 0 { next += Int64(random.next(below: 20)) }
            let row = Row(
                key: base + next, optional: random.next(below: 900) == 0 ? nil : next,
                small: next % 11)
            next += 1
            let values: [Scalar] = [
                .integer(row.key), row.optional.map { .integer($0) } ?? .null, .integer(row.small),
            ]
            let key = try values.withUnsafeBufferPointer { try table.insert($0) }
            model[key.rawValue] = row
        }
    }

    private func change(
        _ table: Table, _ model: inout [Int64: Row], _ random: inout SeededGenerator
    ) throws {
        let keys = model.keys.sorted()
        for _ in 0..<random.next(below: 40) {
            let key = keys[random.next(below: keys.count)]
            let value = random.next(below: 4) == 0 ? nil : Int64(random.next(below: 9000))
            try table.set(
                1, of: ObjectKey(rawValue: key), to: value.map { .integer($0) } ?? .null)
            model[key]!.optional = value
        }
        for _ in 0..<random.next(below: 30) {
            let key = keys[random.next(below: keys.count)]
            guard model.removeValue(forKey: key) != nil else { continue }
            try table.delete(ObjectKey(rawValue: key))
        }
        // Many keys at once: a run of neighbours, some scattered ones, or the first ones.
        let start = random.next(below: keys.count)
        let some: [Int64] =
            switch random.next(below: 4) {
            case 0: Array(keys[start..<min(keys.count, start + 700)])
            case 1: keys.filter { _ in random.next(below: 20) == 0 }
            case 2: Array(keys.prefix(400))
            default: []
            }
        let there = some.filter { model.removeValue(forKey: $0) != nil }
        try table.delete(there.map { ObjectKey(rawValue: $0) })
    }

    private func check(
        _ connection: Connection, _ model: [Int64: Row], _ base: Int64,
        _ random: inout SeededGenerator
    ) throws {
        #expect(try connection.verify() == [])
        let table = try #require(try connection.table(named: "Row"))
        let keys = model.keys.sorted()
        try #require(try table.count() == keys.count)
        for (position, key) in keys.enumerated() {
            let place = try table.location(at: position)
            try #require(table.key(at: place).rawValue == key)
            let row = model[key]!
            try #require(try table.value(0, at: place).integer == row.key)
            try #require(try table.value(1, at: place).integer == row.optional)
            try #require(try table.value(2, at: place).integer == row.small)
        }
        let rows = keys.map { model[$0]! }
        for _ in 0..<3 {
            let row = model[keys[random.next(below: keys.count)]]!
            try #require(try table.find(primaryKey: .integer(row.key)) != nil)
            for (column, number) in [(0, row.key), (1, row.optional ?? 5), (2, row.small)] {
                for comparison in Comparison.allCases {
                    let predicate = try table.predicate(
                        column, .compare(comparison, .integer(number)))
                    let expected = rows.indices.filter {
                        let value =
                            column == 0
                            ? rows[$0].key : column == 1 ? rows[$0].optional : rows[$0].small
                        guard let value else { return false }
                        return comparison.holds(value, number)
                    }.map { keys[$0] }
                    let found = try table.keys(where: predicate).map(\.rawValue)
                    let isRight = found == expected
                    try #require(isRight, "column \(column) \(comparison) \(number)")
                    try #require(try table.count(where: predicate) == expected.count)
                }
            }
        }
        let sum = model.values.reduce(Int128(0)) { $0 + Int128($1.key) }
        #expect(try table.sum(0).integer == sum)
        #expect(try table.minimum(0)?.integer == model.values.map(\.key).min())
        #expect(try table.maximum(1)?.integer == model.values.compactMap(\.optional).max())
        let sorted = try table.keys(sortedBy: 0, ascending: false).map(\.rawValue)
        let isSorted = sorted == keys.sorted { model[$0]!.key > model[$1]!.key }
        #expect(isSorted)
    }

    /// Of three columns, only the one that ascends by one is a ramp.
    @Test func keysThatAscendByOneAreRampsInEveryLeaf() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Row"))
        for number in 0..<20_000 as Range<Int64> {
            let values: [Scalar] = [.integer(number), .integer(-number), .integer(1)]
            _ = try values.withUnsafeBufferPointer { try table.insert($0) }
        }
        try connection.commit()
        try table.forEachLeaf { leaf, _ in
            #expect(leaf.entry(0).isRamp && !leaf.entry(1).isRamp && !leaf.entry(2).isRamp)
            return true
        }
    }
}

extension Scalar {
    fileprivate var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}
