import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// Imports as a user sees them: what is imported, and what is said of mistakes.
@Suite struct ImportProcessTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
    }

    private func importing(
        _ text: String, as name: String = "p.csv", _ arguments: String...
    ) throws -> ToolProcess.Result {
        let file = try folder.write(text, to: name)
        return try ToolProcess(["import", path, "ToolPerson", file] + arguments).finish()
    }

    private func exported(_ columns: String = "id,name,age") throws -> String {
        try ToolProcess.run("export", path, "ToolPerson", "--columns", columns).output
    }

    @Test func aTableBecomesAFile() throws {
        let csv = """
            \u{FEFF}id,name,active,weight,born,zip,note
            7,"Ada, Countess",true,55.5,1815-12-10,00123,
            8,"two
            lines",false,60,,8001,x

            """
        let file = try folder.write(csv, to: "p.csv")
        let result = try ToolProcess.run(
            "import", path, "Person", file, "--infer", "--primary-key", "id")
        #expect(result.code == 0, "\(result.error)")
        #expect(
            result.output.hasPrefix(
                "Person has id: int, name: string, active: bool, weight: double, born: date?, "
                    + "zip: string, note: string?\n2 objects imported in "))
        #expect(
            try ToolProcess.run("export", path, "Person").output == """
                id,name,active,weight,born,zip,note
                7,"Ada, Countess",true,55.5,1815-12-10T00:00:00Z,00123,
                8,"two
                lines",false,60.0,,8001,x

                """)
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test(arguments: [
        ("id,name,age\n4,a,1\n5,b,x\n", "p.csv:3:5", "'x' is not an integer of 64 bits"),
        ("id,name,age\n4,a,1\n5,\"two\nlines\",漢,\n", "p.csv:3", "4 fields instead of 3"),
        ("id,name,age\n4,\"two\nlines\",漢\n", "p.csv:3:8", "'漢' is not an integer"),
        ("id,name,age\n,a,1\n", "p.csv:2:1", "'ToolPerson.id' must not be null"),
        ("id,name,age\n4,a\"b,1\n", "p.csv:2:4", "A quote stands inside"),
        ("id,name,age\n4,\"a\"b,1\n", "p.csv:2:6", "Text follows the closing quote"),
        ("id,name,age\n4,\"a,1\n5,b,2\n", "p.csv:2:3", "has no end"),
        ("id,nam,age\n4,a,1\n", "p.csv:1", "Did you mean name?"),
        ("id,name,id\n4,a,1\n", "p.csv:1", "names 'id' twice"),
        ("id,name,age\n4,a,1\n\n5,b,2\n", "p.csv:3", "The line is empty"),
        ("name,age\na,1\n", "p.csv:2", "The primary key 'ToolPerson.id' is missing"),
        ("id,name,age\n4,a,99999999999999999999\n", "p.csv:2:5", "64 bits"),
        ("id,tags\n4,[1]\n", "p.csv:2:4", "'1' is not a text"),
        ("id,tags\n4,\"[\"\"a\"\n", "p.csv:2:4", "has no end"),
        ("id,note\n4,hello\n", "p.csv:2:3", "'hello' is no JSON value"),
        ("id,note\n4,\"{\"\"$dat\"\":1}\"\n", "p.csv:2:4", "'$dat' is none of"),
        ("id,boss\n4,9\n", "p.csv:2", "leads to '9'"),
        ("id,boss\n4,x\n", "p.csv:2:3", "'x' is not an integer"),
        ("id,dogs\n4,[5]\n", "p.csv:2:4", "has no primary key"),
        ("id,name,age\n1,a,1\n", "p.csv:2", "with the primary key '1' exists"),
        ("", "p.csv:1", "is empty"),
    ])
    func aMistakeInCSVIsReportedWithItsPlace(
        csv: String, place: String, message: String
    ) throws {
        try makePeople(path)
        let before = try exported()
        let result = try importing(csv)
        #expect(result.code == 65)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: \(folder.path)/\(place): "), "\(result.error)")
        #expect(result.error.contains(message), "\(result.error)")
        #expect(result.error.hasSuffix("\nNothing was imported.\n"))
        #expect(try exported() == before)
    }

    @Test(arguments: [
        ("{\"id\":4}\n{\"id\":5,}", "p.jsonl:2:9", "The name of a member is missing"),
        ("{\"id\":4,\n", "p.jsonl:1:9", "name of a member is missing"),
        ("\n \n{\"id\":\"4\"}", "p.jsonl:3:7", "'4' is not an integer"),
        ("{\"id\":4.5}", "p.jsonl:1:7", "'4.5' is not an integer"),
        ("{\"id\":4,\"id\":5}", "p.jsonl:1:9", "occurs twice"),
        ("{\"id\":4,\"nme\":\"x\"}", "p.jsonl:1:9", "Did you mean name, "),
        ("{\"id\":4} x", "p.jsonl:1:10", "Text follows"),
        ("[4]", "p.jsonl:1:2", "'{' is missing"),
        ("{\"id\":4,\"name\":\"a\\x\"}", "p.jsonl:1:18", "no such escape"),
        ("{\"id\":4,\"name\":\"\\ud800\"}", "p.jsonl:1:17", "four hexadecimal digits"),
        ("{\"id\":4,\"name\":Ada}", "p.jsonl:1:16", "Texts stand between double quotes"),
        ("{\"id\":4,\"name\":\"Ada}", "p.jsonl:1:16", "has no end"),
        ("{\"id\":4,\"address\":[]}", "p.jsonl:1:19", "holds embedded objects"),
        ("{\"id\":4,\"address\":{\"cty\":\"x\"}}", "p.jsonl:1:26", "Did you mean city?"),
        ("{\"id\":4,\"scores\":{\"a\":\"x\"}}", "p.jsonl:1:23", "'x' is not a number"),
        ("{\"id\":4,\"dogs\":[{\"$key\":9}]}", "p.jsonl:1", "leads to an object that was not"),
        (
            "{\"id\":4,\"note\":{\"$link\":{\"class\":\"Dg\",\"id\":1}}}", "p.jsonl:1:25",
            "no class named"
        ),
        ("{}", "p.jsonl:1", "The primary key 'ToolPerson.id' is missing"),
    ])
    func aMistakeInJSONLinesIsReportedWithItsPlace(
        json: String, place: String, message: String
    ) throws {
        try makePeople(path)
        let before = try exported()
        let result = try importing(json, as: "p.jsonl")
        #expect(result.code == 65)
        #expect(result.error.hasPrefix("Error: \(folder.path)/\(place): "), "\(result.error)")
        #expect(result.error.contains(message), "\(result.error)")
        #expect(result.error.hasSuffix("\nNothing was imported.\n"))
        #expect(try exported() == before)
    }

    @Test(arguments: [
        ("[{\"id\":4},{\"id\":5,}]", "p.json:1:19", "The name of a member is missing"),
        (
            "\n [ {\"id\":4},\n  {\n    \"id\": \"漢\"\n  }\n]\n", "p.json:4:11",
            "'漢' is not an integer"
        ),
        ("[{\"id\":4},]", "p.json:1:11", "'{' is missing"),
        ("[{\"id\":4} {\"id\":5}]", "p.json:1:11", "',' or ']' is missing"),
        ("[{\"id\":4}", "p.json:1:10", "',' or ']' is missing"),
        ("[{\"id\":4},", "p.json:1:11", "The array has no end"),
        ("[{\"id\":4,\"name\":\"}]\\\"", "p.json:1:2", "has no end"),
        ("[{\"id\":4}] {}", "p.json:1:12", "Text follows the array"),
        ("[7]", "p.json:1:2", "'{' is missing"),
    ])
    func aMistakeInAJSONArrayIsReportedWithItsPlace(
        json: String, place: String, message: String
    ) throws {
        try makePeople(path)
        let before = try exported()
        let result = try importing(json, as: "p.json")
        #expect(result.code == 65)
        #expect(result.error.hasPrefix("Error: \(folder.path)/\(place): "), "\(result.error)")
        #expect(result.error.contains(message), "\(result.error)")
        #expect(try exported() == before)
    }

    @Test func aJSONArrayIsImportedHoweverItIsLaidOut() throws {
        try makePeople(path)
        let arrays = [
            "[]", " [ ] \n", "\u{FEFF}[{\"id\":10,\"name\":\"]}\\\"[\"}]",
            "[\n{\"id\":11,\"scores\":{\"a\":1}},\r\n{\"id\":12,\"tags\":[\"x\"]}\n]",
            "[{\n  \"id\": 13,\n  \"dogs\": [\n  ]\n},{\"id\":14}]\n\n",
        ]
        for array in arrays {
            let result = try importing(array, as: "p.json")
            #expect(result.code == 0, "\(array): \(result.error)")
        }
        #expect(try exported("id") == "id\n1\n2\n3\n10\n11\n12\n13\n14\n")
        // Longer than a block of the input, so that objects lie across blocks.
        let name = String(repeating: "\\\\ \\\" {漢", count: 3000)
        let long = (20..<120).map { "{\"id\":\($0),\"name\":\"\(name)\"}" }
        #expect(try importing("[" + long.joined(separator: ",") + "]", as: "p.json").code == 0)
        let written = try ToolProcess.run(
            "query", path, "ToolPerson", "id >= 20", "--format", "json", "--columns", "id,name")
        _ = try folder.write(written.output, to: "q.json")
        let again = try ToolProcess.run(
            "import", path, "ToolPerson", folder["q.json"], "--existing", "update")
        #expect(again.output.hasPrefix("0 objects imported, 100 updated in "), "\(again.error)")
        #expect(
            try ToolProcess.run(
                "query", path, "ToolPerson", "id >= 20", "--format", "json", "--columns", "id,name"
            ).output == written.output)
    }

    @Test func textsThatAreNotUTF8AreExplained() throws {
        try makePeople(path)
        let bytes = Array("id,name\n4,Z".utf8) + [0xFC] + Array("rich\n".utf8)
        try Data(bytes).write(to: URL(fileURLWithPath: folder["latin.csv"]))
        let result = try ToolProcess.run("import", path, "ToolPerson", folder["latin.csv"])
        #expect(result.code == 65)
        #expect(result.error.contains("latin.csv:2:3: This text is not UTF-8."))
        #expect(result.error.contains("iconv"))
    }

    @Test func aBatchIsImportedAsAWholeAndWhatIsImportedIsSaid() throws {
        try makePeople(path)
        let lines = (10..<30).map { "\($0),n,\($0 == 27 ? "x" : "1")" }
        let csv = "id,name,age\n" + lines.joined(separator: "\n") + "\n"
        let result = try importing(csv, "--batch", "5")
        #expect(result.code == 65)
        #expect(
            result.error.hasSuffix(
                "The first 15 records are imported, in 3 batches; nothing behind them is. "
                    + "--skip 15 goes on behind them.\n"))
        #expect(try exported("id").split(separator: "\n").count == 1 + 3 + 15)
        let mended = csv.replacing(",x\n", with: ",2\n")
        let rest = try importing(mended, as: "q.csv", "--batch", "5", "--skip", "15")
        #expect(rest.code == 0)
        #expect(rest.output.hasPrefix("5 objects imported in "))
        #expect(try exported("id").split(separator: "\n").count == 1 + 3 + 20)
    }

    @Test func objectsThatExistAreUpdatedOrKept() throws {
        try makePeople(path)
        let csv = "id,name,tags,boss\n1,Eve,\"[\"\"new\"\"]\",3\n4,New,[],\n"
        let kept = try importing(csv, "--existing", "skip")
        #expect(kept.output.hasPrefix("1 object imported, 1 kept in "))
        #expect(try exported("id,name").contains("1,Ada\n"))
        let updated = try importing(csv, "--existing", "update")
        #expect(updated.output.hasPrefix("0 objects imported, 2 updated in "))
        #expect(
            try exported("id,name,age,tags,boss").contains("1,Eve,36,\"[\"\"new\"\"]\",3\n"))
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test func linksLeadToObjectsThatComeLater() throws {
        try makePeople(path)
        let json = """
            {"id":10,"boss":12,"note":{"$link":{"class":"ToolPerson","id":11}}}
            {"id":11,"boss":1}
            {"id":12,"boss":null}
            """
        #expect(try importing(json, as: "p.jsonl", "--batch", "1").code == 0)
        #expect(try exported("id,boss").hasSuffix("10,12\n11,1\n12,\n"))
        #expect(
            try exported("id,note").contains(
                "10,\"{\"\"$link\"\":{\"\"class\"\":\"\"ToolPerson\"\",\"\"id\"\":11}}\"\n"))
        let missing = try importing("id,boss\n20,99\n", "--missing-links", "null")
        #expect(missing.code == 0)
        #expect(try exported("id,boss").hasSuffix("20,\n"))
    }

    @Test func aWholeFileIsMovedThroughPipes() throws {
        try makePeople(path)
        let result = try ToolProcess.shell(
            """
            realm schema people.realm --format json > schema.json &&
            realm export people.realm | realm import copy.realm - --schema schema.json &&
            diff <(realm export people.realm) <(realm export copy.realm) &&
            realm verify copy.realm
            """, in: folder.path)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.contains("is sound: 5 objects"))
        let realm = try openRealm(folder["copy.realm"])
        let ada = try #require(realm.object(ofType: ToolPerson.self, forPrimaryKey: 1))
        #expect(ada.dogs.map(\.name) == ["Rex", "Rex"])
        #expect(ada.dogs[0].photo == Data([0, 255, 1]))
        #expect(ada.dogs[0].born == Date(timeIntervalSinceReferenceDate: 0.5))
        #expect(Array(ada.address?.rooms ?? .init()) == [3, 1])
    }

    /// Otherwise a program would migrate the copy from version 0.
    @Test func theSchemaVersionIsMovedWithTheSchema() throws {
        let connection = try Connection(Database.open(path: folder["a.realm"]))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Dog", columns: [ColumnDefinition(name: "n", type: .int)])
        ])
        try connection.setSchemaVersion(7)
        try connection.commit()
        let result = try ToolProcess.shell(
            """
            realm schema a.realm --format json > schema.json &&
            realm export a.realm | realm import b.realm - --schema schema.json &&
            realm info b.realm
            """, in: folder.path)
        #expect(result.output.contains("\n  schema   version 7\n"), "\(result.error)")
        // A file that has a version keeps it.
        let other = try folder.write("{\"version\": 9, \"classes\": []}", to: "other.json")
        let empty = try folder.write("", to: "none.jsonl")
        let again = try ToolProcess.run(
            "import", folder["b.realm"], empty, "--format", "json", "--schema", other)
        #expect(again.output.hasPrefix("0 objects imported"), "\(again.error)")
        #expect(
            try ToolProcess.run("info", folder["b.realm"]).output.contains("schema   version 7"))
    }

    @Test(arguments: [
        ("{\"schemaVersion\": 1, \"classes\": []}", "'schemaVersion' in the schema. "),
        (
            "{\"classes\": [{\"name\": \"A\", \"properties\": [], \"embeded\": true}]}",
            "'embeded' in the class 'A'. Did you mean embedded?"
        ),
        (
            """
            {"classes": [{"name": "A", "properties": [
                {"name": "b", "type": "int", "primarykey": true}]}]}
            """, "'primarykey' in a property of 'A'. Did you mean primaryKey?"
        ),
        ("{\"classes\": [{\"name\": \"A\"}]}", "'properties' is missing at 'classes.[0]'"),
        ("[]", "a value of another type is expected"),
        ("{", "it is not JSON"),
    ])
    func aNameThatASchemaDoesNotHaveIsAMistake(schema: String, message: String) throws {
        let file = try folder.write(schema, to: "schema.json")
        let input = try folder.write("", to: "none.jsonl")
        let result = try ToolProcess.run("import", path, input, "--schema", file)
        #expect(result.code == 65)
        #expect(result.error.contains(message), "\(result.error)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func controlCLeavesNothingOfATransaction() throws {
        try makePeople(path)
        let process = try ToolProcess(["import", path, "ToolPerson", "-", "--format", "csv"])
        try process.write("id,name\n" + (10..<5000).map { "\($0),n\n" }.joined())
        try waitUntilRead(process)
        process.send(SIGINT)
        let result = try process.finish()
        #expect(result.code == 130)
        #expect(result.error == "Error: Interrupted.\nNothing was imported.\n")
        #expect(try exported("id") == "id\n1\n2\n3\n")
    }

    @Test func controlCSaysWhichBatchesAreImported() throws {
        try makePeople(path)
        let process = try ToolProcess(
            ["import", path, "ToolPerson", "-", "--format", "csv", "--batch", "1000"])
        try process.write("id,name\n" + (10..<3510).map { "\($0),n\n" }.joined())
        try waitUntilRead(process)
        process.send(SIGINT)
        let result = try process.finish()
        #expect(result.code == 130)
        #expect(result.error.contains("The first 3,000 records are imported, in 3 batches"))
        #expect(try exported("id").split(separator: "\n").count == 1 + 3 + 3000)
    }

    /// Waits until the process has read its input and sleeps, because more may come.
    private func waitUntilRead(_ process: ToolProcess) throws {
        var quietTimes = 0
        while quietTimes < 20 {
            quietTimes = process.isAsleep ? quietTimes + 1 : 0
            usleep(10_000)
        }
    }

    @Test func aFileThatWasMadeForNothingIsGone() throws {
        let file = try folder.write("id,name\n1,a\n1,b\n", to: "p.csv")
        let result = try ToolProcess.run(
            "import", path, "Person", file, "--infer", "--primary-key", "id")
        #expect(result.code == 65)
        #expect(!FileManager.default.fileExists(atPath: path))
        let none = try ToolProcess.run("import", path, "Person", file)
        #expect(none.code == 64)
        #expect(none.error.contains("--infer or --schema"))
    }

    @Test func whatTheCommandLineNamesWronglyIsNoMistakeInTheData() throws {
        try makePeople(path)
        let file = try folder.write("id\n4\n", to: "p.csv")
        let unknown = try ToolProcess.run("import", path, "ToolPerso", file)
        #expect(unknown.code == 64)
        #expect(
            unknown.error == "Error: There is no class named 'ToolPerso'. Did you mean ToolPerson? "
                + "--infer or --schema makes a class.\nNothing was imported.\n")
        let nameless = try ToolProcess.run("import", path, file)
        #expect(nameless.code == 64)
        #expect(nameless.error.contains("CSV needs the name of a class."))
        let directory = try ToolProcess.run("import", path, "ToolPerson", folder.path)
        #expect(directory.code == 64)
        #expect(directory.error.contains("it is a directory"))
        #expect(try ToolProcess.run("import", folder.path, "ToolPerson", file).code == 64)
        #expect(try exported("id") == "id\n1\n2\n3\n")
    }

    @Test func fieldsWithoutAHeaderAndOtherDelimiters() throws {
        try makePeople(path)
        let tsv = try folder.write("4\tTab, man\r\n5\t\"\"\r\n", to: "p.tsv")
        let result = try ToolProcess.run(
            "import", path, "ToolPerson", tsv, "--delimiter", "tab", "--columns", "id,name",
            "--format", "csv")
        #expect(result.code == 0, "\(result.error)")
        #expect(
            try ToolProcess.run(
                "export", path, "ToolPerson", "--columns", "id,name", "--no-header",
                "--delimiter", ";"
            ).output.hasSuffix("4;Tab, man\n5;\"\"\n"))
        // Numbers, dates and Base64 are written without quotes.
        for delimiter in ["1", "-", ":", "/", "\"", "ab", ""] {
            let refused = try ToolProcess.run(
                "export", path, "ToolPerson", "--delimiter=\(delimiter)")
            #expect(refused.code == 64, "\(delimiter)")
        }
    }
}
