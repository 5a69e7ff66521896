import Foundation
import Testing

@testable import StorageEngine

/// The changes that an observation reports, and their cost to others.
@Suite struct ChangeObservationTests {
    let directory = TestDirectory()
    let database: Database
    let connection: Connection
    let writer: Connection

    init() throws {
        database = try Database.open(path: directory.file())
        connection = try Connection(database)
        writer = try Connection(database)
        try write {
            try $0.createTables(ChangeWorkload.definitions)
            for age in 0..<1000 { try insert($0, age: age) }
        }
        try connection.refresh()
    }

    private func write(_ connection: Connection? = nil, _ body: (Connection) throws -> Void) throws
    {
        let connection = connection ?? writer
        try connection.beginWrite()
        try body(connection)
        try connection.commit()
    }

    private func people(_ connection: Connection) throws -> Table {
        try connection.table(named: "Person")!
    }

    @discardableResult
    private func insert(_ connection: Connection, age: Int) throws -> ObjectKey {
        try withUnsafePointer(to: .integer(Int64(age))) {
            try people(connection).insert(UnsafeBufferPointer(start: $0, count: 1))
        }
    }

    private func set(_ connection: Connection, age: Int, of key: Int64) throws {
        try people(connection).set(0, of: ObjectKey(rawValue: key), to: .integer(Int64(age)))
    }

    /// Returns the changes from both sources after the connection has moved on.
    private func changes(
        _ observation: ChangeObservation
    ) throws -> (recorded: ChangeSet, compared: ChangeSet) {
        try connection.refresh()
        let isRecorded =
            observation.transactions(after: observation.version, through: connection.version) != nil
        try #require(isRecorded)
        return (
            try observation.changes(), try connection.changes(since: observation.previous)
        )
    }

    // MARK: Reported changes

    @Test func aValueSetToWhatItWasIsAModificationForRecordsOnly() throws {
        let observation = try connection.observeChanges()
        try write { try set($0, age: 7, of: 7) }
        let (recorded, compared) = try changes(observation)
        #expect(recorded[table: 0]?.touchedColumns == [ObjectKey(rawValue: 7): [0]])
        #expect(compared.isEmpty)
    }

    @Test func aSuspendedObservationKeepsNoVersionAndBeginsAnewWhereItIsResumed() throws {
        let observation = try connection.observeChanges()
        observation.suspend()
        #expect(connection.database.changeLog.isObserved == false)
        try write { try set($0, age: 7, of: 7) }
        try connection.refresh()
        let pins = try connection.database.statistics().pinnedVersions
        #expect(!pins.contains { $0.version == observation.version })
        try observation.resume(since: connection)
        try write { try set($0, age: 99, of: 3) }
        let (recorded, compared) = try changes(observation)
        #expect(recorded[table: 0]?.touchedColumns == [ObjectKey(rawValue: 3): [0]])
        #expect(recorded == compared)
    }

    @Test func objectsInsertedAndDeletedInBetweenAreNotTold() throws {
        let observation = try connection.observeChanges()
        try write {
            let key = try insert($0, age: 1)
            try people($0).delete(key)
        }
        var key: ObjectKey?
        try write { key = try insert($0, age: 1) }
        try write { try set($0, age: 2, of: key!.rawValue) }
        try write { try people($0).delete(key!) }
        let (recorded, compared) = try changes(observation)
        #expect(recorded.isEmpty)
        #expect(compared.isEmpty)
    }

    @Test func deletingATargetModifiesWhoReferredToIt() throws {
        var dog: ObjectKey?
        try write {
            let dogs = try $0.table(named: "Dog")!
            dog = try Array("a".utf8).withUnsafeBytes { tag in
                try [.bytes(tag), .integer(3)].withUnsafeBufferPointer { try dogs.insert($0) }
            }
            let list = try people($0).list(3, of: ObjectKey(rawValue: 5))
            for _ in 0..<3 { try list.insert(.integer(dog!.rawValue), at: 0) }
        }
        try connection.refresh()
        let observation = try connection.observeChanges()
        try write { try people($0).delete(ObjectKey(rawValue: 3)) }
        let first = try changes(observation)
        try observation.advance()
        try write { try $0.table(named: "Dog")!.delete(dog!) }
        let second = try changes(observation)
        for change in [first.recorded, first.compared] {
            #expect(change[table: 0]?.deletions.keys.map(\.rawValue) == [3])
            // Losing the last link to it does not modify an object.
            #expect(change[table: 0]?.modifications.isEmpty == true)
            #expect(change[table: 1]?.touchedColumns == [dog!: [1]])
        }
        for change in [second.recorded, second.compared] {
            let owner = ObjectKey(rawValue: 5)
            #expect(change[table: 0]?.touchedColumns == [owner: [3]])
            #expect(
                change[table: 0]?.collections[CollectionPlace(owner: owner, column: 3)]?.deletions
                    == [0..<3])
        }
    }

    @Test func transactionsTellWhoWroteThem() throws {
        let observation = try connection.observeChanges()
        try write { try set($0, age: 1, of: 1) }
        try write(connection) { try set($0, age: 2, of: 2) }
        try write { try set($0, age: 3, of: 3) }
        try connection.refresh()
        let transactions = try #require(
            observation.transactions(after: observation.version, through: connection.version))
        #expect(
            transactions.map(\.writer)
                == [writer.identity, connection.identity, writer.identity])
        #expect(transactions.map(\.version) == Array(connection.version - 2...connection.version))
        // All transactions but the connection's own, as for a notification token that is excluded
        // from it.
        var others = ChangeSet()
        for transaction in transactions where transaction.writer != connection.identity {
            others.append(transaction.changes)
        }
        #expect(others[table: 0]?.modifications.objects.map(\.key.rawValue) == [1, 3])
    }

    @Test func changesOfTheOwnTransactionAreTold() throws {
        let observation = try connection.observeChanges()
        try write(connection) { try set($0, age: 2, of: 2) }
        #expect(try observation.changes()[table: 0]?.modifications.count == 1)
        try observation.advance()
        #expect(try observation.changes().isEmpty)
        #expect(observation.version == connection.version)
    }

    @Test func theVersionBeforeStaysReadable() throws {
        let observation = try connection.observeChanges()
        for round in 1...40 {
            try write { try set($0, age: 1000 + round, of: 4) }
            try write { try people($0).delete(ObjectKey(rawValue: Int64(100 + round))) }
        }
        try connection.refresh()
        let before = try people(observation.previous)
        guard case .integer(4) = try before.value(0, of: ObjectKey(rawValue: 4)) else {
            throw TestFailure("the old value is gone")
        }
        #expect(try before.count() == 1000)
        #expect(try observation.changes()[table: 0]?.deletions.count == 40)
        try observation.advance()
        #expect(try before.count() == 960)
    }

    @Test func tablesCreatedInBetweenTellTheirObjects() throws {
        let observation = try connection.observeChanges()
        try write {
            try $0.createTables([
                TableDefinition(name: "Cat", columns: [ColumnDefinition(name: "n", type: .int)])
            ])
            _ = try $0.table(named: "Cat")!.insert(UnsafeBufferPointer(start: nil, count: 0))
        }
        let (recorded, compared) = try changes(observation)
        #expect(recorded == compared)
        #expect(recorded[table: 2]?.insertions.count == 1)
        try observation.advance()
        #expect(try observation.previous.table(named: "Cat")?.count() == 1)
    }

    // MARK: Comparing

    @Test func leavesThatOnlyMovedTellNothing() throws {
        let observation = try connection.observeChanges()
        let long = [UInt8](repeating: 1, count: 400)
        // This splits leaves, spills columns, and copies all pages.
        try write { connection in
            for key in 0..<1000 {
                try long.withUnsafeBytes {
                    try people(connection).set(
                        1, of: ObjectKey(rawValue: Int64(key)), to: .bytes($0))
                }
            }
        }
        try write { connection in
            for key in 0..<1000 {
                try people(connection).set(1, of: ObjectKey(rawValue: Int64(key)), to: .null)
            }
        }
        let (recorded, compared) = try changes(observation)
        #expect(compared.isEmpty)
        #expect(recorded[table: 0]?.modifications.count == 1000)
        // Adjacent objects with the same columns form one part.
        #expect(recorded.size == 1)
    }

    /// A leaf that both versions share is damaged, which only reading it would reveal.
    @Test func pagesOfBothVersionsAreNotRead() throws {
        let path = directory.file("shared")
        do {
            let connection = try Connection(Database.open(path: path))
            try write(connection) {
                try $0.createTables(ChangeWorkload.definitions)
                for age in 0..<5000 { try insert($0, age: age * 7919 % 1000) }
            }
        }
        let connection = try Connection(Database.open(path: path))
        let table = try people(connection)
        let root = try connection.pager.node(table.root.reference)
        let last = root.child(root.rowCount - 1)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: last.page * 4096 + 2000)
        try file.write(contentsOf: Data(repeating: 0x55, count: 100))
        let observation = try connection.observeChanges()
        try write(connection) { try set($0, age: -1, of: 0) }
        #expect(
            try connection.changes(since: observation.previous)[table: 0]?.touchedColumns
                == [ObjectKey(rawValue: 0): [0]])
        #expect { _ = try table.value(0, of: ObjectKey(rawValue: 4999)) } throws: {
            ($0 as? StorageError)?.code == .damaged
        }
    }

    @Test func longListsAreComparedByTheirLeaves() throws {
        let owner = ObjectKey(rawValue: 0)
        try write {
            let list = try people($0).list(5, of: owner)
            for index in 0..<20_000 { try list.insert(.integer(Int64(index)), at: index) }
        }
        try connection.refresh()
        let observation = try connection.observeChanges()
        try write {
            let list = try people($0).list(5, of: owner)
            try list.remove(at: 15_000)
            try list.insert(.integer(-1), at: 5000)
            try list.set(.integer(-2), at: 10_000)
        }
        let (recorded, compared) = try changes(observation)
        for changes in [recorded, compared] {
            let change = try #require(
                changes[table: 0]?.collections[CollectionPlace(owner: owner, column: 5)])
            #expect(change.deletions == [15_000..<15_001])
            #expect(change.insertions == [5000..<5001])
            #expect(change.modifications == [9999..<10_000])
        }
    }

    @Test func aListFilledAnewIsComparedInTime() throws {
        let owner = ObjectKey(rawValue: 0)
        func fill(_ offset: Int) throws {
            try write {
                let list = try people($0).list(5, of: owner)
                try list.removeAll()
                for index in 0..<30_000 {
                    try list.insert(.integer(Int64((index + offset) % 30_000)), at: index)
                }
            }
        }
        try fill(0)
        try connection.refresh()
        let observation = try connection.observeChanges()
        try fill(10_000)
        let (recorded, compared) = try changes(observation)
        let place = CollectionPlace(owner: owner, column: 5)
        #expect(recorded[table: 0]?.collections[place]?.deletions == [0..<30_000])
        #expect(recorded[table: 0]?.collections[place]?.insertions == [0..<30_000])
        #expect(compared[table: 0]?.collections[place]?.deletions == [0..<10_000])
        #expect(compared[table: 0]?.collections[place]?.insertions == [20_000..<30_000])
    }

    // MARK: Memory

    @Test func nothingIsRecordedUnlessSomebodyObserves() throws {
        try write { try set($0, age: 1, of: 1) }
        #expect(writer.recorder == nil)
        #expect(database.changeLog.size == 0)
        do {
            let observation = try connection.observeChanges()
            try write { try set($0, age: 2, of: 1) }
            #expect(database.changeLog.size > 0)
            try connection.refresh()
            #expect(try !observation.changes().isEmpty)
            try observation.advance()
            #expect(database.changeLog.size == 0)
            try write { try set($0, age: 1, of: 1) }
        }
        #expect(!database.changeLog.isObserved)
        #expect(database.changeLog.size == 0)
    }

    @Test func recordsAreKeptForTheSlowestObservation() throws {
        let slow = try connection.observeChanges()
        try write { try set($0, age: 1, of: 1) }
        try connection.refresh()
        let quick = try connection.observeChanges()
        try write { try set($0, age: 2, of: 2) }
        try connection.refresh()
        #expect(try quick.changes()[table: 0]?.modifications.count == 1)
        try quick.advance()
        #expect(slow.transactions(after: slow.version, through: connection.version)?.count == 2)
        #expect(try slow.changes()[table: 0]?.modifications.count == 2)
    }

    @Test func theLogIsBoundedAndThenTheVersionsAreCompared() throws {
        let observation = try connection.observeChanges()
        let size = 500 + ChangeLog.transactionSize
        for round in 1...ChangeLog.maximumSize / size + 3 {
            try write { connection in
                // Every other object is changed, so that they do not form a run.
                for key in stride(from: 0, to: 1000, by: 2) {
                    try set(connection, age: round + 5000, of: Int64(key))
                }
            }
            #expect(database.changeLog.size == size * min(round, ChangeLog.maximumSize / size))
        }
        try connection.refresh()
        #expect(
            observation.transactions(after: observation.version, through: connection.version)
                == nil)
        let changes = try observation.changes()
        #expect(changes[table: 0]?.modifications.count == 500)
    }

    @Test(arguments: [45, 101, 400])
    func aTransactionThatDoesTooMuchIsNotRecorded(objects: Int) throws {
        let observation = try connection.observeChanges()
        try writer.beginWrite()
        writer.startRecording(with: ChangeRecorder(maximumSize: 100))
        // Each object is changed twice, which adds nothing to report.
        for _ in 0..<2 {
            for key in 0..<objects { try set(writer, age: -1, of: Int64(2 * key)) }
        }
        try writer.commit()
        #expect((database.changeLog.size == 0) == (objects > 100))
        try connection.refresh()
        let transactions = observation.transactions(
            after: observation.version, through: connection.version)
        #expect((transactions == nil) == (objects > 100))
        #expect(try observation.changes()[table: 0]?.modifications.count == objects)
    }

    @Test func aTransactionOnNeighboursIsOnePart() throws {
        let observation = try connection.observeChanges()
        try write { connection in
            for _ in 0..<3 {
                for key in 0..<Int64(1000) {
                    try set(connection, age: 0, of: key)
                    try people(connection).set(
                        2, of: ObjectKey(rawValue: key), to: .double(1))
                }
            }
            for age in 0..<5000 { try insert(connection, age: age) }
        }
        try write { try people($0).deleteAll() }
        let transactions = try #require(
            observation.transactions(after: observation.version, through: writer.version))
        #expect(transactions.map(\.changes.size) == [2, 1])
    }

    // MARK: Spans without records

    @Test func transactionsBegunBeforeTheObservationAreCompared() throws {
        try writer.beginWrite()
        let observation = try connection.observeChanges()
        try set(writer, age: -5, of: 8)
        try writer.commit()
        try write { try set($0, age: -6, of: 9) }
        try connection.refresh()
        #expect(
            observation.transactions(after: observation.version, through: connection.version)
                == nil)
        #expect(
            try observation.changes()[table: 0]?.modifications.objects.map(\.key.rawValue) == [
                8, 9,
            ])
        try observation.advance()
        try write { try set($0, age: -6, of: 9) }
        try connection.refresh()
        // From here on, everything is recorded again.
        #expect(try observation.changes()[table: 0]?.modifications.count == 1)
    }

    @Test func rolledBackTransactionsLeaveNothing() throws {
        let observation = try connection.observeChanges()
        try writer.beginWrite()
        try set(writer, age: -5, of: 8)
        let new = try insert(writer, age: 3)
        writer.rollback()
        #expect(writer.recorder == nil)
        #expect(try people(writer).recorder == nil)
        #expect(database.changeLog.size == 0)
        var again: ObjectKey?
        try write { again = try insert($0, age: 4) }
        #expect(again == new)
        let (recorded, compared) = try changes(observation)
        #expect(recorded == compared)
        #expect(recorded[table: 0]?.insertions.keys.map(\.self) == [new])
        #expect(recorded[table: 0]?.modifications.isEmpty == true)
    }
}
