import Foundation
import StorageEngine

/// What a table must hold after a run: how many rows, and the digest of some of their columns.
/// A fresh process reads the file back through the storage engine.
struct TableExpectation: Codable, Sendable {
    var path: String
    var table: String
    var columns: [String]
    var rows: Int
    var digest: String

    /// Every difference between the file and this, in sentences; empty if there is none.
    func problems() throws -> [String] {
        let connection = try Connection(Database.open(path: path))
        guard let table = try connection.table(named: table) else {
            return ["The table '\(self.table)' is missing."]
        }
        let (found, foundDigest) = try Self.read(table, columns: columns)
        var problems: [String] = []
        if found != rows {
            problems.append("The table '\(self.table)' has \(found) rows instead of \(rows).")
        }
        if foundDigest.text != digest {
            problems.append(
                "The rows of the table '\(self.table)' are not those that were written.")
        }
        return problems
    }

    private static func read(_ table: Table, columns: [String]) throws -> (Int, ResultDigest) {
        let positions = try columns.map { try column(named: $0, of: table) }
        var digest = ResultDigest()
        var rows = 0
        try table.forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount {
                let location = RowLocation(leaf: leaf, row: row)
                var hash = ResultDigest.Row()
                for position in positions {
                    hash.combine(try table.value(position, at: location))
                }
                digest.add(hash)
                rows += 1
            }
            return true
        }
        return (rows, digest)
    }

    static func column(named name: String, of table: Table) throws -> Int {
        guard let position = table.definition.columns.firstIndex(where: { $0.name == name }) else {
            throw BenchmarkError(
                .caseFailed, "The table '\(table.definition.name)' has no column '\(name)'.")
        }
        return position
    }
}

extension ResultDigest.Row {
    /// A stored value; its kind counts as well, so that null is not 0.
    mutating func combine(_ value: Scalar) {
        switch value {
        case .null: combine(0)
        case .integer(let number):
            combine(1)
            combine(Int(number))
        case .float(let number):
            combine(2)
            combine(Double(number))
        case .double(let number):
            combine(3)
            combine(number)
        case .bytes(let bytes):
            combine(4)
            combine(bytes)
        case .fixed16(let low, let high):
            combine(5)
            combine(low)
            combine(high)
        }
    }

    /// The columns name, birthdate and age of a person.
    mutating func combine(_ person: PersonValues) {
        combine(4)
        combine(person.name.utf8)
        combine(3)
        combine(person.birthdateAsDate.timeIntervalSinceReferenceDate)
        combine(1)
        combine(person.age)
    }
}
