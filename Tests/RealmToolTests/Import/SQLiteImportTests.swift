import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import RealmTool

/// Imports from databases of SQLite, as a user sees them.
@Suite struct SQLiteImportTests {
    private let folder: TemporaryFolder
    private let path: String
    private let source: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        source = folder["app.db"]
    }

    private func importing(
        _ className: String = "ToolPerson", _ arguments: String...
    ) throws -> ToolProcess.Result {
        try ToolProcess(["import", path, className, source] + arguments).finish()
    }

    private func exported(_ className: String, _ columns: String? = nil) throws -> String {
        let arguments = ["export", path, className] + (columns.map { ["--columns", $0] } ?? [])
        return try ToolProcess(arguments).finish().output
    }

    // MARK: Tables to classes

    @Test func aTableBecomesAClassOfTheTypesOfItsValues() throws {
        try SQLiteFile(source).execute(
            """
            CREATE TABLE people (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, weight REAL, active BOOLEAN, born TEXT,
                tag VARCHAR(36), photo BLOB, anything, none INT, half NUMERIC)
            """,
            """
            INSERT INTO people VALUES
                (1, 'Ada "A", 漢', 55.5, 1, '1815-12-10 20:15:00.500',
                 '6F9619FF-8B86-D011-B42D-00CF4FC964FF', x'00FF01', 5, NULL, 1),
                (2, '', 60, 0, '1816-01-01', '6f9619ff-8b86-d011-b42d-00cf4fc964fe', x'', 'five',
                 NULL, 1.5),
                (-3, 'x', NULL, 1, NULL, NULL, NULL, x'05', NULL, NULL)
            """)
        let result = try importing("Person", "--infer", "--table", "people")
        #expect(result.code == 0, "\(result.error)")
        #expect(
            result.output.hasPrefix(
                "Person has id: int, name: string, weight: double?, active: bool, born: date?, "
                    + "tag: uuid?, photo: data?, anything: mixed, none: int?, half: double?\n"
                    + "3 objects imported in "), "\(result.output)")
        // The order is that of the table, which SQLite sorts by its primary key.
        #expect(
            try exported("Person") == """
                id,name,weight,active,born,tag,photo,anything,none,half
                -3,x,,true,,,,"{""$data"":""BQ==""}",,
                1,"Ada ""A"", 漢",55.5,true,1815-12-10T20:15:00.500Z,\
                6f9619ff-8b86-d011-b42d-00cf4fc964ff,AP8B,5,,1.0
                2,"",60.0,false,1816-01-01T00:00:00Z,6f9619ff-8b86-d011-b42d-00cf4fc964fe,"",\
                \"""five\""",,1.5

                """)
        let schema = try ToolProcess.run("schema", path).output
        #expect(schema.contains("@Persisted(primaryKey: true) var id: Int"))
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test func theTypeOfAColumnIsThatOfAllItsRows() throws {
        let database = try SQLiteFile(source)
        try database.execute(
            "CREATE TABLE T (a, b, c BOOL, d DATE)",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO T SELECT i, date('2020-01-01', '+' || i || ' days'), i % 2, i FROM n
            """, "INSERT INTO T VALUES (1.5, 'not a date', 2, '2020-01-01')")
        let result = try importing("T", "--infer")
        #expect(result.code == 0, "\(result.error)")
        #expect(
            result.output.hasPrefix("T has a: double, b: string, c: int, d: mixed\n5,001 objects"),
            "\(result.output)")
        #expect(try exported("T").hasSuffix("\n1.5,not a date,2,\"\"\"2020-01-01\"\"\"\n"))
    }

    @Test func rowsOfAQueryAreImported() throws {
        try makePeople(path)
        try SQLiteFile(source).execute(
            "CREATE TABLE a (k INTEGER, n TEXT)", "CREATE TABLE b (k INTEGER, age INTEGER)",
            "INSERT INTO a VALUES (10, 'ten'), (11, 'eleven'), (12, 'none')",
            "INSERT INTO b VALUES (10, 1), (11, 2)")
        let query = "SELECT a.k AS id, n AS name, b.age FROM a JOIN b USING (k) ORDER BY id DESC"
        let result = try importing("ToolPerson", "--query", query)
        #expect(result.code == 0, "\(result.error)")
        #expect(try exported("ToolPerson", "id,name,age").hasSuffix("\n11,eleven,2\n10,ten,1\n"))
        let named = try importing(
            "ToolPerson", "--table", "A", "--columns", "id,name", "--existing", "update")
        #expect(named.output.hasPrefix("1 object imported, 2 updated in "), "\(named.error)")
        let other = try importing(
            "New", "--query", "SELECT n, k FROM a", "--columns", "title,id", "--infer",
            "--primary-key", "id")
        #expect(other.output.hasPrefix("New has title: string, id: int\n3 objects"))
        #expect(try exported("New", "id,title") == "id,title\n10,ten\n11,eleven\n12,none\n")
    }

    // MARK: Values

    @Test func valuesFitThePropertiesOfAClass() throws {
        try makePeople(path)
        try SQLiteFile(source).execute(
            """
            CREATE TABLE ToolPerson (
                id INTEGER, name TEXT, age, boss, dogs TEXT, address TEXT, tags, scores, note)
            """,
            """
            INSERT INTO ToolPerson VALUES
                (10, 'ten', 4.0, 12, '[]', '{"city":"Bern","rooms":[2]}', '["b","a"]',
                 '{"x":1.5}', 'a text'),
                (11, 7, '5', NULL, NULL, NULL, NULL, NULL, 2.0),
                (12, 1.5, NULL, 1, NULL, NULL, '[]', NULL, NULL)
            """)
        let result = try importing()
        #expect(result.code == 0, "\(result.error)")
        let rows = try exported("ToolPerson", "id,name,age,boss,address,tags,scores,note")
        #expect(
            rows.hasSuffix(
                """

                10,ten,4,12,"{""city"":""Bern"",""rooms"":[2]}","[""a"",""b""]","{""x"":1.5}",\
                \"""a text\"""
                11,7,5,,,[],{},2.0
                12,1.5,,1,,[],{},

                """), "\(rows)")
    }

    @Test(arguments: [
        ("unix", "1700000000", "2023-11-14T22:13:20Z"),
        ("unix", "0.5", "1970-01-01T00:00:00.500Z"),
        ("milliseconds", "1700000000123", "2023-11-14T22:13:20.123Z"),
        ("julian", "julianday('2026-11-26 20:15:00.25')", "2026-11-26T20:15:00.250Z"),
        ("julian", "2451545", "2000-01-01T12:00:00Z"),
        ("reference", "1.5", "2001-01-01T00:00:01.500Z"),
    ])
    func numbersAreDatesOfTheUnitThatIsSaid(unit: String, number: String, date: String) throws {
        try SQLiteFile(source).execute(
            "CREATE TABLE E (id INTEGER PRIMARY KEY, at DATETIME)",
            "INSERT INTO E VALUES (1, \(number)), (2, '2020-01-01T00:00:00Z')")
        let result = try importing("E", "--infer", "--dates", unit)
        #expect(result.output.hasPrefix("E has id: int, at: date\n"), "\(result.error)")
        #expect(try exported("E") == "id,at\n1,\(date)\n2,2020-01-01T00:00:00Z\n")
        // Without the unit, it is not guessed.
        let refused = try importing("E", "--existing", "update")
        #expect(refused.code == 65)
        #expect(refused.error.contains("app.db: row 1, column 'at': 'E.at' holds a date, and "))
        #expect(refused.error.contains("unix, milliseconds, julian, reference"))
    }

    // MARK: Mistakes

    @Test(arguments: [
        (
            "id", "'x'",
            "column 'id': 'x' is not an integer of 64 bits, which 'ToolPerson.id' holds."
        ),
        ("id", "NULL", "column 'id': 'ToolPerson.id' must not be null; it holds an integer"),
        ("id", "4.5", "column 'id': '4.5' is not an integer"),
        ("id", "x'0102'", "column 'id': A BLOB of 2 bytes is not an integer"),
        ("id", "1", "row 2: An object of 'ToolPerson' with the primary key '1' exists."),
        ("name", "NULL", "column 'name': 'ToolPerson.name' must not be null; it holds a text."),
        ("name", "x'01'", "column 'name': A BLOB of 1 bytes is not a text"),
        ("name", "CAST(x'FF' AS TEXT)", "column 'name': This text is not UTF-8."),
        ("age", "''", "column 'age': '' is not an integer"),
        ("boss", "99", "row 2: The link 'ToolPerson.boss' leads to '99'"),
        ("boss", "'x'", "column 'boss': 'x' is not an integer"),
        ("boss", "x'01'", "column 'boss': A BLOB of 1 bytes is not a link, which"),
        ("boss", "x'000000000000000000000001'", "column 'boss': '000000000000000000000001' is not"),
        ("tags", "'[1]'", "'1' is not a text"),
        ("tags", "'a'", "column 'tags': 'ToolPerson.tags' is JSON in a text. "),
        ("tags", "5", "column 'tags': '5' is no JSON, which 'ToolPerson.tags' takes."),
        ("address", "'[]'", "holds embedded objects"),
    ])
    func aMistakeIsReportedWithRowAndColumn(
        column: String, value: String, message: String
    ) throws {
        try makePeople(path)
        let before = try exported("ToolPerson")
        let valid = [
            "id": "9", "name": "'n'", "age": "1", "boss": "1", "tags": "'[]'",
            "address": "'{\"city\":\"x\"}'",
        ]
        func row(_ id: String, _ given: String?) -> String {
            var values = ["id": id, "name": "'n'"]
            values[column] = given ?? valid[column]
            return "SELECT "
                + values.keys.sorted().map { "\(values[$0]!) AS \($0)" }.joined(separator: ", ")
        }
        try SQLiteFile(source).execute(
            "CREATE VIEW ToolPerson AS " + row("9", nil) + " UNION ALL " + row("20", value))
        let result = try importing()
        #expect(result.code == 65)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: \(source): row 2"), "\(result.error)")
        #expect(result.error.contains(message), "\(result.error)")
        #expect(result.error.hasSuffix("\nNothing was imported.\n"))
        #expect(try exported("ToolPerson") == before)
    }

    @Test func batchesAndRowsThatArePassedOver() throws {
        try SQLiteFile(source).execute(
            "CREATE TABLE P (id INTEGER PRIMARY KEY, age)",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO P SELECT i, iif(i = 18, 'x', i) FROM n
            """)
        try makePeople(path)
        let failed = try importing(
            "ToolPerson", "--query", "SELECT id + 9 AS id, 'n' AS name, age FROM P", "--batch", "5")
        #expect(failed.code == 65)
        #expect(failed.error.contains("app.db: row 18, column 'age': 'x'"))
        #expect(failed.error.hasSuffix("--skip 15 goes on behind them.\n"))
        let rest = try importing(
            "ToolPerson", "--query", "SELECT id + 9 AS id, 'n' AS name FROM P", "--skip", "15")
        #expect(rest.output.hasPrefix("15 objects imported in "), "\(rest.error)")
        #expect(try exported("ToolPerson", "id").split(separator: "\n").count == 1 + 3 + 30)
    }

    @Test func whatTheCommandLineNamesWronglyIsExplained() throws {
        try makePeople(path)
        try SQLiteFile(source).execute(
            "CREATE TABLE people (id INTEGER, nme TEXT)", "CREATE TABLE dogs (id INTEGER)")
        let mistakes: [([String], String)] = [
            (
                [],
                "There is no table in '\(source)' named 'ToolPerson'. Known: dogs, people. --table"
            ),
            (["--table", "peple"], "Did you mean people?"),
            (
                ["--table", "people"],
                "There is no property of 'ToolPerson' named 'nme'. Did you mean "
            ),
            (["--query", "SELEC"], "app.db: SQLite: near \"SELEC\": syntax error."),
            (["--query", "SELECT x FROM dogs"], "no such column: x"),
            (["--query", ""], "--query has no statement."),
            (["--query", "DELETE FROM dogs"], "a statement that changes the database"),
            (["--query", "SELECT 1", "--table", "dogs"], "exclude each other"),
            (
                ["--table", "dogs", "--columns", "id,name"],
                "--columns names 2 properties, and there"
            ),
            (["--format", "csv", "--table", "dogs"], "go with SQLite"),
        ]
        for (arguments, message) in mistakes {
            let result = try ToolProcess(["import", path, "ToolPerson", source] + arguments)
                .finish()
            #expect(result.code == (message.contains("property of") ? 65 : 64), "\(arguments)")
            #expect(result.error.contains(message), "\(result.error)")
        }
        let missing = try ToolProcess.run(
            "import", path, "ToolPerson", folder["none.db"], "--format", "sqlite")
        #expect(missing.code == 64)
        #expect(missing.error.contains("none.db' cannot be read: No such file or directory"))
        let key = try importing("New", "--table", "people", "--infer", "--primary-key", "idd")
        #expect(key.code == 64)
        #expect(key.error.contains("Did you mean id?"))
        #expect(try exported("ToolPerson", "id") == "id\n1\n2\n3\n")
    }

    @Test func aPrimaryKeyIsOneThatCanBeOne() throws {
        try SQLiteFile(source).execute(
            "CREATE TABLE D (weight REAL PRIMARY KEY, n TEXT)", "INSERT INTO D VALUES (1.5, NULL)")
        let own = try importing("D", "--infer")
        #expect(own.output.hasPrefix("D has weight: double, n: string?\n"), "\(own.error)")
        let given = try importing("E", "--table", "D", "--infer", "--primary-key", "weight")
        #expect(given.code == 65)
        #expect(given.error.contains("'weight' cannot be the primary key: it is a number."))
        let null = try importing("E", "--table", "D", "--infer", "--primary-key", "n")
        #expect(null.error.contains("'n' cannot be the primary key: it has nulls."))
    }

    @Test func aDamagedDatabaseImportsNothing() throws {
        try SQLiteFile(source).execute(
            "CREATE TABLE P (id INTEGER PRIMARY KEY, t TEXT)",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO P SELECT i, printf('%0100d', i) FROM n
            """)
        var bytes = try folder.bytes(of: "app.db")
        for place in stride(from: 4096 * 20, to: 4096 * 40, by: 1) { bytes[place] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: source))
        let result = try importing("P", "--infer")
        #expect(result.code == 65)
        #expect(result.error.contains("SQLite: database disk image is malformed."))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func controlCEndsAQuery() throws {
        try makePeople(path)
        try SQLiteFile(source).execute("CREATE TABLE P (id INTEGER)")
        let endless = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i AS id, 'n' AS name FROM n WHERE i < 0
            """
        let process = try ToolProcess(
            ["import", path, "ToolPerson", source, "--query", endless])
        usleep(500_000)
        process.send(SIGINT)
        let result = try process.finish()
        #expect(result.code == 130)
        #expect(result.error == "Error: Interrupted.\nNothing was imported.\n")
    }
}
