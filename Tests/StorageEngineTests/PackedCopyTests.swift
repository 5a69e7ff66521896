import Foundation
import Testing

@testable import StorageEngine

/// A copy is packed, whatever the order in which its objects came and went.
@Suite struct PackedCopyTests {
    private let directory = TestDirectory()

    private func liveBytes(ofCopyWith keys: [Int64], _ name: String) throws -> Int {
        let connection = try Connection(Database.open(path: directory.file(name)))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)])
        ])
        let table = try #require(try connection.table(named: "Row"))
        for key in keys {
            _ = try withUnsafePointer(to: Scalar.integer(key)) {
                try table.insert(UnsafeBufferPointer(start: $0, count: 1))
            }
        }
        try connection.commit()
        let path = directory.file(name + ".copy")
        try connection.writeCopy(toPath: path)
        let copy = try Connection(Database.open(path: path))
        #expect(try copy.verify() == [])
        let copied = try #require(try copy.table(named: "Row"))
        for key in stride(from: 0, to: keys.count, by: 97) {
            #expect(
                try copied.find(primaryKey: .integer(Int64(key)))
                    == table.find(primaryKey: .integer(Int64(key))))
        }
        return Int(try copy.database.statistics().liveBytes)
    }

    @Test func keysThatCameAtRandomTakeLittleMoreThanKeysInOrder() throws {
        var random = SeededRandom(seed: 3)
        let ordered = (0..<20_000).map(Int64.init)
        let inOrder = try liveBytes(ofCopyWith: ordered, "ordered")
        let atRandom = try liveBytes(ofCopyWith: ordered.shuffled(using: &random), "random")
        #expect(atRandom < inOrder * 6 / 5, "\(inOrder) and \(atRandom) bytes")
    }
}
