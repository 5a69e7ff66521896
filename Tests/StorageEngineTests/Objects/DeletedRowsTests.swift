import Glibc
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Rows of objects that a transaction deletes one by one, which it removes together: nothing sees
/// them meanwhile.
@Suite struct DeletedRowsTests {
    private let directory = TestDirectory()

    // MARK: Models

    @Test(arguments: DeletedRowsModel.Kind.allCases, 1...4 as ClosedRange<UInt64>)
    func tablesHoldWhatWasNotDeleted(kind: DeletedRowsModel.Kind, seed: UInt64) throws {
        // Removed at once, a few together, and as many as a transaction deletes.
        let limit = [DeletedRows.maximumCount, 1, 7, 64][Int(seed % 4)]
        _ = try ModelCourse(directory: directory, seed: seed, rounds: 12, steps: 0..<40)
            .run(DeletedRowsModel(kind, limit: limit))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func keysThatWaitAreASortedSet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rows = DeletedRows()
        for _ in 0..<3 {
            var keys: [Int64] = []
            let all = (0..<Int64(DeletedRows.maximumCount)).map { $0 * 3 }
            let order: [Int64] =
                switch random.next(below: 4) {
                case 0: all
                case 1: all.reversed()
                case 2: all.shuffled(using: &random)
                default: Array(all.shuffled(using: &random).prefix(random.next(below: 50)))
                }
            var mistakes = 0
            for key in order {
                if rows.contains(ObjectKey(rawValue: key)) { mistakes += 1 }
                rows.insert(ObjectKey(rawValue: key))
                keys.append(key)
            }
            let sorted = rows.keys.map(\.rawValue)
            #expect(sorted == keys.sorted(), "seed \(seed)")
            for key in keys {
                if !rows.contains(ObjectKey(rawValue: key)) { mistakes += 1 }
                if rows.contains(ObjectKey(rawValue: key + 1)) { mistakes += 1 }
            }
            rows.removeAll()
            if !rows.isEmpty || rows.contains(ObjectKey(rawValue: 0)) { mistakes += 1 }
            #expect(mistakes == 0, "seed \(seed)")
        }
    }

    // MARK: Reading

    private func open(_ name: String = "deleted.realm") throws -> Connection {
        try Connection(Database.open(path: directory.file(name)))
    }

    /// A model in an open transaction, in which rows wait in leaves of the version before, and in
    /// the one that is appended to.
    private func modelWithDeletions(
        _ kind: DeletedRowsModel.Kind, _ connection: Connection
    ) throws -> DeletedRowsModel {
        var model = DeletedRowsModel(kind)
        try connection.beginWrite()
        try model.begin(connection)
        try connection.commit()
        try connection.beginWrite()
        let table = try model.readings(connection)
        for _ in 0..<30 { try model.insert(table) }
        let keys = model.keys
        let run = Array(keys[..<40]) + keys[300..<520]
        let scattered = stride(from: 530, to: keys.count, by: 67).map { keys[$0] }
        for key in run + scattered + keys.suffix(9) { try model.delete(key, table) }
        #expect(table.waitingRows == run.count + scattered.count + 9)
        return model
    }

    @Test(arguments: DeletedRowsModel.Kind.allCases)
    func noReadingSeesADeletedObject(kind: DeletedRowsModel.Kind) throws {
        let connection = try open()
        let model = try modelWithDeletions(kind, connection)
        try model.check(connection)
        connection.rollback()
        for (number, reading) in DeletedRowsReading.all.enumerated() {
            let connection = try open("\(number).realm")
            let model = try modelWithDeletions(kind, connection)
            try reading.check(connection, model)
            try connection.commit()
            try model.check(connection)
            #expect(try connection.verify() == [], "\(reading.name)")
        }
    }

    @Test func rowsWaitWhileOnlyKeysAreUsed() throws {
        let connection = try open()
        var model = try modelWithDeletions(.narrow, connection)
        let table = try model.readings(connection)
        let holders = try #require(try connection.table(named: "Holder"))
        let waiting = table.waitingRows
        let inTree = try table.state.pointee.root.count
        let stamp = connection.layoutStamp.pointee
        let kept = model.keys[100]
        try table.set(2, of: ObjectKey(rawValue: kept), to: .double(3))
        let list = holders.list(0, of: ObjectKey(rawValue: model.holders.keys.min()!))
        try list.append(.integer(kept))
        #expect(try list.value(at: 0).isIdentical(to: .integer(kept)))
        try list.remove(at: 0)
        #expect(try table.count() == inTree - waiting)
        #expect(try table.contains(ObjectKey(rawValue: kept)))
        #expect(table.waitingRows == waiting)
        // A location found before is out of date once its object is deleted.
        let before = connection.layoutStamp.pointee
        try model.delete(kept, table)
        #expect(connection.layoutStamp.pointee != before && before >= stamp)
        #expect(table.waitingRows == waiting + 1)
        #expect(try table.state.pointee.root.count == inTree)
        // Counting rows with a condition reads the tree.
        _ = try table.sum(2)
        #expect(table.waitingRows == 0 && connection.tablesWithDeletedRows.isEmpty)
        #expect(try table.state.pointee.root.count == model.rows.count)
        try model.check(connection)
        try connection.commit()
        try model.check(connection)
    }

    @Test func rowsOfAllTablesAreRemovedTogether() throws {
        let connection = try open()
        try connection.beginWrite()
        let names = ["A", "B"]
        try connection.createTables(
            names.map {
                TableDefinition(name: $0, columns: [ColumnDefinition(name: "n", type: .int)])
            })
        let tables = try names.map { try #require(try connection.table(named: $0)) }
        for table in tables {
            for number in 0..<100 { _ = try table.insert([OwnedValue.integer(Int64(number))]) }
        }
        for table in tables {
            for key in 10..<20 { try table.delete(ObjectKey(rawValue: Int64(key))) }
        }
        #expect(tables.map(\.waitingRows) == [10, 10])
        #expect(try tables[0].key(at: 10).rawValue == 20)
        #expect(tables.map(\.waitingRows) == [0, 0])
        #expect(try tables[1].sum(0).average != nil)
        try tables[1].delete(ObjectKey(rawValue: 50))
        try tables[1].deleteAll()
        #expect(tables[1].waitingRows == 0)
        #expect(try tables[1].count() == 0)
        try connection.commit()
        #expect(try tables.map { try $0.count() } == [90, 0])
        #expect(try connection.verify() == [])
    }

    // MARK: Many

    @Test(arguments: DeletedRowsModel.Kind.allCases, 0..<3)
    func moreThanMayWait(kind: DeletedRowsModel.Kind, order: Int) throws {
        let connection = try open("\(kind)-\(order).realm")
        var model = DeletedRowsModel(kind)
        try connection.beginWrite()
        try model.begin(connection)
        let table = try model.readings(connection)
        while model.rows.count < 6000 { try model.insert(table) }
        try connection.commit()
        try connection.beginWrite()
        var random = SeededGenerator(seed: UInt64(order) + 1)
        let keys =
            [model.keys, model.keys.reversed(), model.keys.shuffled(using: &random)][order]
        for (position, key) in keys.prefix(5500).enumerated() {
            try model.delete(key, table)
            #expect(table.waitingRows == (position + 1) % DeletedRows.maximumCount)
        }
        #expect(try table.count() == 500)
        try connection.commit()
        try model.check(connection)
        #expect(try connection.verify() == [])
    }

    // MARK: Schemas

    @Test func schemasThatChangeFindNoDeletedRows() throws {
        let connection = try open()
        var model = try modelWithDeletions(.keyed, connection)
        let table = try model.readings(connection)
        try connection.setIndexed(true, 3, of: table)
        #expect(try #require(table.index(of: 3)).count() == model.rows.count)
        try model.delete(model.keys[7], table)
        try connection.createTables([
            TableDefinition(name: "New", columns: [ColumnDefinition(name: "n", type: .int)])
        ])
        try model.check(connection)
        try model.delete(model.keys[8], table)
        try connection.commit()
        try model.check(connection)

        // A migration replaces tables, before and after objects are deleted in it.
        try connection.beginWrite()
        try model.delete(model.keys[9], table)
        var definitions = model.definitions
        definitions[0].columns.append(ColumnDefinition(name: "added", type: .int))
        definitions[0].columns[3] = ColumnDefinition(name: "other", type: .string)
        let migration = try SchemaMigration(connection, to: definitions)
        try migration.prepare()
        let new = try model.readings(connection)
        #expect(try new.count() == model.rows.count)
        for key in model.keys[5..<25] { try model.delete(key, new) }
        try migration.finish()
        #expect(try new.count() == model.rows.count)
        try connection.commit()
        let table2 = try model.readings(connection)
        var keys: [Int64] = []
        try table2.forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount { keys.append(leaf.objectKey(row).rawValue) }
            return true
        }
        #expect(keys == model.keys)
        #expect(try connection.verify() == [])
    }

    // MARK: Failures

    @Test(arguments: DeletedRowsModel.Kind.allCases)
    func pagesThatFailDuringTheRemovalFailTheTransaction(kind: DeletedRowsModel.Kind) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let connection = try open()
        var model = DeletedRowsModel(kind)
        try connection.beginWrite()
        try model.begin(connection)
        try connection.commit()
        let table = try model.readings(connection)
        let base = model
        let doomed = stride(from: 1, to: 800, by: 3).map { base.keys[$0] }
        var failures = 0
        for ordinal in sequence(first: 1, next: { $0 + max(1, $0 / 4) }) {
            try connection.beginWrite()
            for key in doomed { try model.delete(key, table) }
            #expect(table.waitingRows == doomed.count)
            interceptor.setFaults([
                SystemCallFault(.fail(errno: ENOSPC), call: .takePages, ordinal: ordinal)
            ])
            let read = Result { try table.key(at: 1) }
            interceptor.setFaults([])
            guard case .failure(let failure as StorageError) = read else {
                try model.check(connection)
                break
            }
            failures += 1
            model = base
            #expect(failure.code == .outOfDiskSpace)
            #expect(connection.transactionFailure == failure)
            #expect(table.waitingRows == 0)
            try check(base, of: connection)
            #expect(throws: failure) { try table.delete(ObjectKey(rawValue: 0)) }
            #expect(throws: failure) { try connection.commit() }
            #expect(!connection.isInWriteTransaction)
            try base.check(connection)
        }
        #expect(failures > 1)
        try connection.commit()
        try model.check(connection)
        #expect(try connection.verify() == [])
    }

    @Test func aCommitThatCannotRemoveRowsIsRolledBack() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let connection = try open()
        var model = DeletedRowsModel(.wide)
        try connection.beginWrite()
        try model.begin(connection)
        try connection.commit()
        let base = model
        try connection.beginWrite()
        let table = try model.readings(connection)
        for key in stride(from: 1, to: 800, by: 3) { try model.delete(base.keys[key], table) }
        interceptor.setFaults([
            SystemCallFault(.fail(errno: ENOSPC), call: .takePages, ordinal: 2)
        ])
        #expect(throws: StorageError.self) { try connection.commit() }
        interceptor.setFaults([])
        #expect(!connection.isInWriteTransaction && table.waitingRows == 0)
        try base.check(connection)
        #expect(try connection.verify() == [])
    }

    /// What a failed transaction shows, without the readings that need one that has not failed.
    private func check(_ model: DeletedRowsModel, of connection: Connection) throws {
        let table = try model.readings(connection)
        #expect(try table.count() == model.rows.count)
        let test = try table.predicate(2, .compare(.less, .double(100)))
        let expected = model.keys.filter { model.half($0) < 100 }
        #expect(try table.keys(where: test).map(\.rawValue) == expected)
    }
}
