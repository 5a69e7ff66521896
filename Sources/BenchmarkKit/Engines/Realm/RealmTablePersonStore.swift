import StorageEngine
import ToolSupport

/// Persons in a table of the storage engine, in the same file format as the objects.
final class RealmTablePersonStore: PersonStore {
    let connection: Connection
    let table: Table
    let layout: PersonLayout
    private let durability: Durability
    /// The positions of the columns.
    let name: Int, birthdate: Int, age: Int
    private(set) var lastCommit: CommitCost?

    init(path: String, _ layout: PersonLayout, _ durability: Durability) throws {
        self.layout = layout
        self.durability = durability
        connection = try Connection(Database.open(path: path, options: .ofCase))
        table = try Self.table(connection, Self.definition(layout))
        name = Self.hasNumber(layout) ? 1 : 0
        birthdate = name + 1
        age = name + 2
    }

    /// Whether the number has a column of its own.
    private static func hasNumber(_ layout: PersonLayout) -> Bool {
        layout == .integerKey || layout == .indexedNumber
    }

    /// Returns the definition of the table that the object layer creates for the same class.
    private static func definition(_ layout: PersonLayout) -> TableDefinition {
        var columns = [
            ColumnDefinition(name: "name", type: .string, isPrimaryKey: layout == .stringKey),
            ColumnDefinition(name: "birthdate", type: .date),
            ColumnDefinition(name: "age", type: .int, isIndexed: layout == .indexed),
        ]
        if hasNumber(layout) {
            columns.insert(
                ColumnDefinition(
                    name: "number", type: .int, isPrimaryKey: layout == .integerKey,
                    isIndexed: layout == .indexedNumber), at: 0)
        }
        let names: [PersonLayout: String] = [
            .integerKey: "KeyedPerson", .stringKey: "NamedPerson", .indexed: "IndexedPerson",
            .indexedNumber: "IndexedNumberPerson",
        ]
        return TableDefinition(name: names[layout] ?? "Person", columns: columns)
    }

    /// Returns the table of that name and creates it if it is missing.
    static func table(_ connection: Connection, _ definition: TableDefinition) throws -> Table {
        if let table = try connection.table(named: definition.name) { return table }
        try connection.beginWrite()
        // Another thread may have created the table before this one got the write lock.
        if try connection.table(named: definition.name) == nil {
            do { try connection.createTables([definition]) } catch {
                connection.rollback()
                throw error
            }
        }
        try connection.commit()
        guard let table = try connection.table(named: definition.name) else {
            throw BenchmarkError(
                .caseFailed, "The table '\(definition.name)' was not created.")
        }
        return table
    }

    /// Runs `body` in one transaction.
    func write(_ body: () throws -> Void) throws {
        try connection.beginWrite()
        do { try body() } catch {
            connection.rollback()
            throw error
        }
        lastCommit = CommitCost(try connection.commit(durability.ofCommit))
    }

    // MARK: Inserting

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try write { for person in persons { try insert(person) } }
    }

    private func insert(_ person: PersonValues) throws {
        var name = person.name
        try name.withUTF8 { bytes in
            try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 4) { row in
                row.initializeElement(at: 0, to: .integer(Int64(person.number)))
                row.initializeElement(at: 1, to: .bytes(UnsafeRawBufferPointer(bytes)))
                row.initializeElement(at: 2, to: .double(Self.stored(person.birthdate)))
                row.initializeElement(at: 3, to: .integer(Int64(person.age)))
                let columns = Self.hasNumber(layout) ? row[...] : row[1...]
                _ = try table.insert(UnsafeBufferPointer(rebasing: columns))
            }
        }
    }

    /// The start of 2001 in seconds since 1970; dates are stored in seconds since then.
    static let referenceDate = 978_307_200

    static func stored(_ birthdate: Int) -> Double { Double(birthdate - referenceDate) }

    // MARK: Updates

    func updateAllAges(adding: Int) throws {
        try write {
            var position = 0
            let count = try table.count()
            var rows: [(key: ObjectKey, age: Int64)] = []
            while position < count {
                // Each leaf is read before its rows change. Positions follow the key order, which
                // the updates keep.
                try readAges(&rows, at: position)
                for row in rows {
                    let age = (row.age + Int64(adding)) % 100
                    try table.set(self.age, of: row.key, to: .integer(age))
                }
                position += rows.count
            }
        }
    }

    func deleteOddAges() throws {
        try write {
            var odd: [ObjectKey] = []
            try table.forEachLeaf { leaf, _ throws(StorageError) in
                let (node, ages) = try column(age, of: leaf)
                for row in 0..<leaf.rowCount where node.integer(ages, row) & 1 == 1 {
                    odd.append(table.key(at: RowLocation(leaf: leaf, row: row)))
                }
                return true
            }
            try table.delete(odd)
        }
    }

    /// Reads the keys and ages of the leaf at `position`, from there to its end.
    private func readAges(
        _ rows: inout [(key: ObjectKey, age: Int64)], at position: Int
    ) throws {
        rows.removeAll(keepingCapacity: true)
        try table.forEachLeaf(from: position) { leaf, first throws(StorageError) in
            let (node, ages) = try column(age, of: leaf)
            for row in max(0, position - first)..<leaf.rowCount {
                let key = table.key(at: RowLocation(leaf: leaf, row: row))
                rows.append((key, node.integer(ages, row)))
            }
            return false
        }
    }

    func updateAge(number: Int, to age: Int) throws {
        try write {
            try table.set(self.age, of: key(number), to: .integer(Int64(age)))
        }
    }

    func delete(numbers: [Int]) throws {
        try write { for number in numbers { try table.delete(key(number)) } }
    }

    private func key(_ number: Int) throws -> ObjectKey {
        guard let key = try table.find(primaryKey: .integer(Int64(number))) else {
            throw BenchmarkError(.caseFailed, "There is no person with the key \(number).")
        }
        return key
    }

    // MARK: The file

    func copy(to path: String) throws {
        try connection.writeCopy(toPath: path, encryptionKey: FileEncryption.key)
    }

    func size() throws -> StoreSize { StoreSize(try connection.database.statistics()) }

    func problems() throws -> [String] { try connection.verify() }

    func refresh() throws { try connection.refresh() }

    /// Refreshes the connection, which then shows one version until the next refresh.
    func pin() throws { try connection.refresh() }
}

extension Connection {
    /// The error of a store that misses what it has stored: of the type that visits of rows throw.
    func incomplete(_ message: String) -> StorageError {
        StorageError(.damaged, path: database.path, message: message)
    }
}
