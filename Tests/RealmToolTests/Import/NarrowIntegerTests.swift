import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// Integers that the programs of a class cannot read are mistakes in the data, wherever they come
/// from and whatever holds them.
@Suite struct NarrowIntegerTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["narrow.realm"]
        let connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "byte", type: .int, integerBits: 8),
                    ColumnDefinition(name: "maybe", type: .int, isOptional: true, integerBits: 16),
                    ColumnDefinition(
                        name: "list", type: .int, collection: .list, integerBits: 32),
                ])
        ])
        try connection.commit()
    }

    private func exported() throws -> String { try ToolProcess.run("export", path, "A").output }

    @Test func theLeastAndTheGreatestAreImported() throws {
        let csv = """
            byte,maybe,list
            127,32767,[2147483647]
            -128,-32768,[-2147483648]
            0,,[]

            """
        let file = try folder.write(csv, to: "a.csv")
        #expect(try ToolProcess.run("import", path, "A", file).code == 0)
        #expect(try exported() == csv)
    }

    @Test(arguments: [
        ("a.csv", "byte\n128\n", 8, "128"), ("a.csv", "byte\n-129\n", 8, "-129"),
        ("a.csv", "maybe\n32768\n", 16, "32768"),
        ("a.csv", "list\n\"[1,2147483648]\"\n", 32, "2147483648"),
        ("a.jsonl", #"{"byte":300}"#, 8, "300"), ("a.jsonl", #"{"maybe":-32769}"#, 16, "-32769"),
        ("a.jsonl", #"{"list":[-2147483649]}"#, 32, "-2147483649"),
    ])
    func othersAreMistakes(name: String, text: String, bits: Int, number: String) throws {
        let before = try exported()
        let file = try folder.write(text, to: name)
        let result = try ToolProcess.run("import", path, "A", file)
        #expect(result.code == 65)
        #expect(
            result.error.contains("holds an integer of \(bits) bits, which \(number) is not."),
            "\(result.error)")
        #expect(result.error.hasSuffix("Nothing was imported.\n"))
        #expect(try exported() == before)
    }

    @Test func thoseOfSQLiteAreMistakesToo() throws {
        let source = folder["a.db"]
        try SQLiteFile(source).execute(
            "CREATE TABLE A (byte INTEGER)", "INSERT INTO A VALUES (5), (128)")
        let result = try ToolProcess.run("import", path, "A", source)
        #expect(result.code == 65)
        #expect(
            result.error.contains("'A.byte' holds an integer of 8 bits, which 128 is not."),
            "\(result.error)")
        #expect(try exported() == "byte,maybe,list\n")
    }
}
