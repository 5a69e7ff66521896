import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Random transactions of several connections. The reported changes must lead from the old version
/// to the new one, whether they come from records or from a comparison, and both must agree.
@Suite struct ChangeModelTests {
    let directory = TestDirectory()

    /// Every other seed writes pages ahead of the commit.
    private func open(_ name: String, seed: UInt64) throws -> Database {
        let kind = FileKind.everyWay[Int(seed % 4)]
        let database = try Database.open(path: directory.file(name), options: kind.options)
        let connection = try Connection(database)
        try connection.beginWrite()
        try connection.createTables(ChangeWorkload.definitions)
        try connection.commit()
        return database
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func recordsAndComparisonLeadFromTheOldVersionToTheNew(seed: UInt64) throws {
        let database = try open("model", seed: seed)
        var workload = ChangeWorkload(seed: seed)
        let writers = try (0..<3).map { _ in try Connection(database) }
        let reader = try Connection(database)
        let observation = try reader.observeChanges()
        var old = try DatabaseImage(reader)
        for round in 0..<25 {
            for _ in 0...workload.random.next(below: 4) {
                try write(writers[workload.random.next(below: 3)], &workload)
            }
            try reader.refresh()
            let new = try DatabaseImage(reader)
            let comment: Comment = "seed \(seed), round \(round)"
            try #require(
                observation.transactions(after: observation.version, through: reader.version)
                    != nil, comment)
            let recorded = try observation.changes()
            let compared = try reader.changes(since: observation.previous)
            try recorded.check(old, new, comment)
            try compared.check(old, new, comment)
            let touched = workload.touched(old, new)
            for number in new.tables.indices {
                try #require(
                    (recorded[table: number]?.touchedColumns ?? [:]) == touched[number], comment)
                try compared[table: number]?.checkModificationsDiffer(
                    old.tables[number], new.tables[number], comment)
            }
            if workload.random.next(below: 3) > 0 {
                try observation.advance()
                old = new
                workload.forget()
            }
        }
        #expect(try reader.verify() == [])
    }

    /// Performs one transaction. Some are rolled back, and must leave no trace.
    private func write(_ connection: Connection, _ workload: inout ChangeWorkload) throws {
        let before = workload
        try connection.beginWrite()
        for _ in 0..<workload.random.next(below: 30) { try workload.step(connection) }
        if workload.random.next(below: 4) == 0 {
            connection.rollback()
            let random = workload.random
            workload = before
            workload.random = random
        } else {
            try connection.commit()
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func combinedRecordsSayTheSameAsThoseOfTheParts(seed: UInt64) throws {
        let database = try open("parts", seed: seed)
        var workload = ChangeWorkload(seed: seed)
        let connection = try Connection(database)
        let observation = try connection.observeChanges()
        var versions = [(number: connection.version, image: try DatabaseImage(connection))]
        for _ in 0..<8 {
            try connection.beginWrite()
            for _ in 0...workload.random.next(below: 20) { try workload.step(connection) }
            // A transaction without changes does not create a version.
            let version = try connection.commit().version
            if version == versions.last!.number { continue }
            versions.append((version, try DatabaseImage(connection)))
        }
        for (index, old) in versions.enumerated() {
            for new in versions[index...] {
                let transactions = try #require(
                    observation.transactions(after: old.number, through: new.number))
                var combined = ChangeSet()
                for transaction in transactions { combined.append(transaction.changes) }
                try combined.check(
                    old.image, new.image, "seed \(seed): \(old.number) to \(new.number)")
            }
        }
    }
}

/// Changes of values and collections of every type.
@Suite struct ChangeTypesTests {
    private let directory = TestDirectory()

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func changesOfAllTypesLeadFromTheOldVersionToTheNew(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var model = TypesModel()
        let writer = try FileKind.everyWay[Int(seed % 4)].open(directory.file())
        try writer.beginWrite()
        try writer.createTables(TypesModel.definitions)
        for _ in 0..<3 { try model.addOwner(writer) }
        try writer.commit()
        let reader = try Connection(writer.database)
        let observation = try reader.observeChanges()
        var old = try DatabaseImage(reader)
        for round in 0..<12 {
            let committed = model
            try writer.beginWrite()
            for _ in 0..<(round % 3 == 0 ? 400 : 15) { try model.step(writer, &random) }
            if random.next(below: 4) == 0 {
                writer.rollback()
                model = committed
            } else {
                try writer.commit()
            }
            try reader.refresh()
            let new = try DatabaseImage(reader)
            let comment: Comment = "seed \(seed), round \(round)"
            try observation.changes().check(old, new, comment)
            let compared = try reader.changes(since: observation.previous)
            try compared.check(old, new, comment)
            for number in new.tables.indices {
                try compared[table: number]?.checkModificationsDiffer(
                    old.tables[number], new.tables[number], comment)
            }
            if random.next(below: 3) > 0 {
                try observation.advance()
                old = new
            }
        }
    }
}

extension TableChanges {
    /// Checks that every modified column differs, as a comparison guarantees.
    fileprivate func checkModificationsDiffer(
        _ old: [ObjectKey: [DatabaseImage.Value]], _ new: [ObjectKey: [DatabaseImage.Value]],
        _ comment: Comment
    ) throws {
        for (key, columns) in touchedColumns {
            try #require(columns == Self.differing(old[key]!, new[key]!), comment)
        }
    }
}
