import Testing
import ToolSupport

@testable import StorageEngine

/// Lists whose trees have several levels of branches.
@Suite struct CollectionTreeTests {
    private let directory = TestDirectory()

    /// Eight values fill a leaf, so branches below the root are split during the descent.
    @Test(arguments: [false, true])
    func aListOfManyLongValuesKeepsItsOrder(atRandom: Bool) throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [ColumnDefinition(name: "list", type: .string, collection: .list)])
        ])
        let table = try #require(try connection.table(named: "Owner"))
        let list = table.list(0, of: try table.insert(owned: []))
        var random = SeededGenerator(seed: 8)
        var expected: [Int] = []
        for number in 0..<6000 {
            let index = atRandom ? random.next(below: expected.count + 1) : expected.count
            expected.insert(number, at: index)
            try OracleValue(text(number)).withScalar { try list.insert($0, at: index) }
        }
        try check(list, expected)
        for number in 6000..<7000 {
            let index = random.next(below: expected.count)
            if number % 2 == 0 {
                expected[index] = number
                try OracleValue(text(number)).withScalar { try list.set($0, at: index) }
            } else {
                expected.remove(at: index)
                try list.remove(at: index)
            }
        }
        try check(list, expected)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    private func text(_ number: Int) -> String {
        "\(number) " + String(repeating: "x", count: 490)
    }

    private func check(_ list: ListHandle, _ expected: [Int]) throws {
        try #require(try list.count() == expected.count)
        var index = 0
        // swift-format-ignore: ReplaceForEachWithForLoop
        try list.forEach {
            guard OracleValue($0) == OracleValue(text(expected[index])) else { return false }
            index += 1
            return true
        }
        #expect(index == expected.count)
    }
}
