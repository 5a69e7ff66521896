import Testing

@testable import StorageEngine

/// One way to read a table from which objects were just deleted, compared with the model.
struct DeletedRowsReading: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable (_ connection: Connection, _ model: DeletedRowsModel) throws -> Void

    var testDescription: String { name }

    private init(
        _ name: String,
        _ check: @escaping @Sendable (Connection, Table, DeletedRowsModel) throws -> Void
    ) {
        self.name = name
        self.check = { connection, model in
            try check(connection, model.readings(connection), model)
        }
    }

    static let all = byKey + byPosition + scans + queries + ofOtherTrees

    /// Some keys: the first and last ones, and others in between.
    private static func some(_ keys: [Int64]) -> [Int64] {
        let step = max(1, keys.count / 20)
        return stride(from: 0, to: keys.count, by: step).map { keys[$0] } + keys.suffix(2)
    }

    private static func object(_ key: Int64) -> ObjectKey { ObjectKey(rawValue: key) }

    private static let byKey = [
        DeletedRowsReading("count") { _, table, model throws in
            #expect(try table.count() == model.rows.count)
        },
        DeletedRowsReading("contains, location, value") { _, table, model throws in
            for key in some(model.keys) {
                #expect(try table.contains(object(key)))
                let location = try #require(try table.location(of: object(key)))
                #expect(table.key(at: location) == object(key))
                let half = try table.value(2, at: location)
                #expect(half.isIdentical(to: .double(model.half(key))))
                #expect(try table.value(2, of: object(key)).isIdentical(to: half))
                let name = DeletedRowsModel.name(model.rows[key]!)
                guard case .bytes(let bytes) = try table.value(1, of: object(key)) else {
                    #expect(name == nil)
                    continue
                }
                #expect(String(decoding: bytes, as: UTF8.self) == name)
            }
            for key in some(model.deleted) {
                #expect(try !table.contains(object(key)))
                #expect(try table.location(of: object(key)) == nil)
                #expect(throws: StorageError.self) { try table.value(2, of: object(key)) }
            }
        },
        DeletedRowsReading("row in a leaf") { _, table, model throws in
            for key in some(model.keys) {
                let leaf = try #require(try table.location(of: object(key))).leaf
                #expect(table.row(of: object(key), in: leaf) != nil)
                for key in some(model.deleted) {
                    #expect(table.row(of: object(key), in: leaf) == nil)
                }
            }
        },
        DeletedRowsReading("changes of deleted objects") { connection, table, model throws in
            guard connection.isInWriteTransaction else { return }
            for key in some(model.deleted) {
                #expect(throws: StorageError.self) {
                    try table.set(2, of: object(key), to: .double(1))
                }
                #expect(throws: StorageError.self) { try table.delete(object(key)) }
                let holders = try #require(try connection.table(named: "Holder"))
                let holder = object(model.holders.keys.min()!)
                #expect(throws: StorageError.self) {
                    try holders.set(1, of: holder, to: .integer(key))
                }
                #expect(throws: StorageError.self) {
                    try holders.list(0, of: holder).append(.integer(key))
                }
            }
        },
        DeletedRowsReading("rows of keys") { _, table, model throws in
            var found: [Int64] = []
            let keys = (some(model.keys) + some(model.deleted)).map(object)
            try table.forEachRow(of: keys) { key, location in
                #expect(table.key(at: location) == key)
                found.append(key.rawValue)
                return true
            }
            #expect(found == some(model.keys))
        },
    ]

    private static let byPosition = [
        DeletedRowsReading("position") { _, table, model throws in
            let keys = model.keys
            for position in stride(from: 0, to: keys.count, by: max(1, keys.count / 9)) {
                #expect(try table.key(at: position) == object(keys[position]))
                #expect(try table.position(of: object(keys[position])) == position)
            }
        },
        DeletedRowsReading("position of deleted objects") { _, table, model throws in
            for key in some(model.deleted) { #expect(try table.position(of: object(key)) == nil) }
        },
        DeletedRowsReading("last position") { _, table, model throws in
            guard let last = model.keys.last else { return }
            #expect(try table.key(at: model.rows.count - 1) == object(last))
        },
    ]

    private static let scans = [
        DeletedRowsReading("leaves") { _, table, model throws in
            var keys: [Int64] = []
            try table.forEachLeaf { leaf, first in
                #expect(first == keys.count)
                for row in 0..<leaf.rowCount { keys.append(leaf.objectKey(row).rawValue) }
                return true
            }
            #expect(keys == model.keys)
        },
        DeletedRowsReading("scan") { _, table, model throws in
            var scan = try LeafScan(table)
            var count = 0
            while try scan.next() { count += scan.rowCount }
            #expect(count == model.rows.count)
        },
        DeletedRowsReading("count and keys of a predicate") { _, table, model throws in
            let test = try table.predicate(2, .compare(.less, .double(400)))
            let expected = model.keys.filter { model.half($0) < 400 }.map(object)
            #expect(try table.count(where: test) == expected.count)
            #expect(try table.keys(where: test) == expected)
        },
        DeletedRowsReading("sum and extremes") { _, table, model throws in
            let halves = model.keys.map { model.half($0) }
            let sum = halves.reduce(0, +)
            #expect(
                try table.average(2) == (halves.isEmpty ? nil : sum / Double(halves.count)))
            let (low, high) = (try table.minimum(2), try table.maximum(2))
            #expect(low?.isIdentical(to: .double(halves.min() ?? 0)) ?? halves.isEmpty)
            #expect(high?.isIdentical(to: .double(halves.max() ?? 0)) ?? halves.isEmpty)
        },
        DeletedRowsReading("orders") { _, table, model throws in
            let expected = model.keys.sorted {
                (model.half($0), $0) < (model.half($1), $1)
            }.map(object)
            #expect(try table.keys(sortedBy: 2) == expected)
            #expect(try table.firstKeys(7, sortedBy: 2) == Array(expected.prefix(7)))
            #expect(try Set(table.keys(sortedBy: 1)) == Set(expected))
        },
        DeletedRowsReading("groups") { _, table, model throws in
            let groups = try table.groups(of: model.keys.map(object), by: 3)
            let thirds = Dictionary(grouping: model.rows.values) { $0 / 3 * 3 }
            #expect(groups.count == thirds.count)
            let plan = try QueryPlan(table, .constant(true)).groups(by: 3)
            #expect(plan.count == thirds.count)
        },
    ]

    private static let queries = [
        DeletedRowsReading("query") { _, table, model throws in
            let plan = try QueryPlan(
                table, .value(column: 2, .compare(.greaterOrEqual, .double(100))))
            let expected = model.keys.filter { model.half($0) >= 100 }.map(object)
            #expect(try plan.count() == expected.count)
            #expect(try plan.keys() == expected)
            #expect(try plan.keys(limit: 3) == Array(expected.prefix(3)))
        },
        DeletedRowsReading("query among keys") { _, table, model throws in
            let plan = try QueryPlan(
                table, .value(column: 2, .compare(.greaterOrEqual, .double(0))))
            let keys = (some(model.keys) + some(model.deleted)).map(object)
            let expected = Set(some(model.keys)).sorted().map(object)
            #expect(try Set(plan.matches(among: keys)) == Set(expected))
            #expect(try Set(plan.matches(amongFew: keys)) == Set(expected))
            #expect(try Set(plan.filter(keys)) == Set(expected))
        },
        DeletedRowsReading("matches") { _, table, model throws in
            let plan = try QueryPlan(
                table, .value(column: 2, .compare(.less, .double(300))))
            let expected = model.keys.filter { model.half($0) < 300 }
            #expect(try plan.matches().keys.unpacked.elementsEqual(expected))
        },
        DeletedRowsReading("query of keys") { _, table, model throws in
            let keys = (some(model.keys) + some(model.deleted)).map(object)
            let plan = try QueryPlan(table, .keys(keys))
            #expect(try plan.keys() == Set(some(model.keys)).sorted().map(object))
        },
        DeletedRowsReading("query through links") { connection, _, model throws in
            let holders = try #require(try connection.table(named: "Holder"))
            let test = QueryCondition.value(column: 2, .compare(.less, .double(500)))
            let expected = model.holders.keys.sorted().filter {
                model.holders[$0]!.link.map { model.half($0) < 500 } ?? false
            }
            let plan = try QueryPlan(holders, .link(column: 1, test))
            #expect(try plan.keys() == expected.map(object))
            let all = model.holders.keys.sorted().map(object)
            #expect(try plan.matches(amongFew: all) == expected.map(object))
            let inLists = try QueryPlan(holders, .link(column: 0, test)).keys()
            let holding = model.holders.keys.sorted().filter {
                model.holders[$0]!.list.contains { model.half($0) < 500 }
            }
            #expect(inLists == holding.map(object))
        },
        DeletedRowsReading("sorter") { _, table, model throws in
            let sorter = try QuerySorter(table, [QueryOrder(column: 2)])
            let plan = try QueryPlan(table, .constant(true))
            let expected = model.keys.sorted {
                (model.half($0), $0) < (model.half($1), $1)
            }.map(object)
            #expect(try sorter.first(5, of: plan) == Array(expected.prefix(5)))
        },
    ]

    private static let ofOtherTrees = [
        DeletedRowsReading("primary key") { _, table, model throws in
            guard model.kind == .keyed else { return }
            for key in some(model.keys) {
                let value = Scalar.integer(DeletedRowsModel.stored(model.rows[key]!))
                #expect(try table.find(primaryKey: value) == object(key))
            }
            var keys: [Int64] = []
            try table.forEachInPrimaryKeyOrder {
                keys.append($0.rawValue)
                return true
            }
            let expected = model.keys.sorted {
                DeletedRowsModel.stored(model.rows[$0]!) < DeletedRowsModel.stored(model.rows[$1]!)
            }
            #expect(keys == expected)
        },
        DeletedRowsReading("index") { _, table, model throws in
            guard let index = table.index(of: 1) else { return }
            #expect(try index.count() == model.rows.count)
            var keys: Set<Int64> = []
            for position in 0..<(try index.count()) {
                keys.insert(try index.key(at: position).rawValue)
            }
            #expect(keys == Set(model.rows.keys))
        },
        DeletedRowsReading("lists and backlinks") { connection, table, model throws in
            let holders = try #require(try connection.table(named: "Holder"))
            for (owner, holder) in model.holders {
                var stored: [Int64] = []
                try holders.list(0, of: object(owner)).forEach {
                    if case .integer(let key) = $0 { stored.append(key) }
                    return true
                }
                #expect(stored == holder.list)
                let link = try holders.value(1, of: object(owner))
                #expect(link.isIdentical(to: holder.link.map { .integer($0) } ?? .null))
            }
            for key in some(model.keys) {
                let count = model.holders.values.reduce(0) { sum, holder in
                    sum + holder.list.count { $0 == key } + (holder.link == key ? 1 : 0)
                }
                #expect(try table.backlinkCount(of: object(key)) == count)
            }
        },
        DeletedRowsReading("storage") { connection, table, _ throws in
            _ = try? connection.storage(of: table)
            #expect(table.waitingRows == 0)
        },
        DeletedRowsReading("verification") { connection, _, _ throws in
            #expect(try connection.verify() == [])
        },
    ]
}
