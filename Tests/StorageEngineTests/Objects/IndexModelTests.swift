import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Random changes of objects with an indexed property of every type, compared with a sorted model,
/// through transactions, rollbacks, reopening and copies, while indexes are added and removed.
@Suite struct IndexModelTests {
    private let directory = TestDirectory()

    @Test(arguments: IndexModel.types, [false, true])
    func anIndexTellsWhatItsObjectsHold(type: ValueType, isOptional: Bool) throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            var model = IndexModel(type: type, isOptional: isOptional)
            var random = SeededGenerator(seed: seed)
            let path = directory.file("\(type)-\(isOptional)-\(seed)")
            var connection = try Connection(Database.open(path: path))
            try connection.beginWrite()
            try connection.createTables([
                TableDefinition(
                    name: "A",
                    columns: [model.definition, ColumnDefinition(name: "rest", type: .int)])
            ])
            try connection.commit()
            for round in 0..<24 {
                let comment = "\(type), optional: \(isOptional), seed \(seed), round \(round)"
                try change(connection, &model, &random, comment)
                let table = try #require(try connection.table(named: "A"))
                try model.check(table, &random, comment)
                try #require(try connection.verify() == [], "\(comment)")
                if round % 8 == 7 {
                    try checkCopy(connection, model, &random, "\(path)-\(round)")
                    connection = try Connection(Database.open(path: path))
                }
            }
        }
    }

    /// Performs one transaction. Some are rolled back. The index is read in between.
    private func change(
        _ connection: Connection, _ model: inout IndexModel, _ random: inout SeededGenerator,
        _ comment: String
    ) throws {
        let before = model
        try connection.beginWrite()
        let table = try #require(try connection.table(named: "A"))
        for _ in 0...random.next(below: 4) {
            try step(table, &model, &random)
            if random.next(below: 3) == 0 { try model.check(table, &random, comment + ", inside") }
        }
        if random.next(below: 5) == 0 {
            connection.rollback()
            model = before
        } else {
            try connection.commit()
        }
    }

    private func step(
        _ table: Table, _ model: inout IndexModel, _ random: inout SeededGenerator
    ) throws {
        let keys = model.values.keys.sorted()
        switch random.next(below: 12) {
        case 0...4:
            for _ in 0..<random.next(below: 60) {
                let value = model.randomValue(&random)
                model.values[try table.insert([value, .integer(1)]).rawValue] = value
            }
        case 5...7:
            for key in keys where random.next(below: 4) == 0 {
                // Some objects are changed more than once, and some back to their old value.
                for _ in 0...random.next(below: 2) {
                    let value = model.randomValue(&random)
                    try table.set(0, of: ObjectKey(rawValue: key), owned: value)
                    model.values[key] = value
                }
            }
        case 8:
            for key in keys where random.next(below: 10) == 0 {
                try table.delete(ObjectKey(rawValue: key))
                model.values[key] = nil
            }
        case 9:
            let chosen = keys.filter { _ in random.next(below: 3) == 0 }
            try table.delete(chosen.map(ObjectKey.init(rawValue:)))
            for key in chosen { model.values[key] = nil }
        case 10:
            try table.connection.setIndexed(false, 0, of: table)
            #expect(table.index(of: 0) == nil)
            if let key = keys.first {
                try table.set(0, of: ObjectKey(rawValue: key), owned: model.values[key]!)
            }
            try table.connection.setIndexed(true, 0, of: table)
        default:
            guard random.next(below: 4) == 0 else { return }
            try table.deleteAll()
            model.values = [:]
        }
    }

    private func checkCopy(
        _ connection: Connection, _ model: IndexModel, _ random: inout SeededGenerator,
        _ path: String
    ) throws {
        try connection.writeCopy(toPath: path)
        let copy = try Connection(Database.open(path: path))
        let table = try #require(try copy.table(named: "A"))
        try model.check(table, &random, "copy \(path)")
        #expect(try copy.verify() == [])
    }
}
