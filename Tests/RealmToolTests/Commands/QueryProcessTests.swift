import Foundation
import Testing
import ToolSupport

@testable import RealmTool

@Suite struct QueryProcessTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        try makePeople(path)
    }

    @Test func aTableIsAlignedWhateverItsValuesAre() throws {
        let result = try ToolProcess.run(
            "query", path, "ToolPerson", "--columns", "id,name,age", "--sort", "id:desc")
        #expect(
            result.output == #"""
                id  name               age
                --  ----------------  ----
                 3  \u{0}漢字           -7
                 2  Bob "B", Jr.\nII  null
                 1  Ada                 36
                3 objects

                """#)
        #expect(result.error == "")
        #expect(result.code == 0)
    }

    @Test func predicatesFollowLinksAndCollections() throws {
        func names(_ predicate: String) throws -> String {
            try ToolProcess.run(
                "query", path, "ToolPerson", predicate, "--format", "csv", "--columns", "id"
            ).output
        }
        #expect(try names("boss.name == 'Ada'") == "id\n2\n")
        #expect(try names("ANY dogs.name == 'Rex' AND age > 30") == "id\n1\n")
        #expect(try names("address.city ENDSWITH 'rich' OR name CONTAINS '漢'") == "id\n1\n3\n")
        #expect(
            try ToolProcess.run("query", path, "ToolPerson", "age != nil", "--count").output
                == "2\n")
    }

    @Test func jsonIsWhatFoundationReads() throws {
        let result = try ToolProcess.run("query", path, "ToolPerson", "--format", "json")
        let objects = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
        #expect(objects.count == 3)
        let ada = objects[0]
        #expect(ada["name"] as? String == "Ada")
        #expect((ada["address"] as? [String: Any])?["rooms"] as? [Int] == [3, 1])
        #expect(ada["tags"] as? [String] == ["", "b"])
        #expect((ada["scores"] as? [String: Any])?["x"] as? Double == 1.5)
        #expect((ada["scores"] as? [String: Any])?["none"] is NSNull)
        #expect((ada["note"] as? [String: String]) == ["$date": "2001-01-01T00:00:01Z"])
        #expect(objects[1]["boss"] as? Int == 1)
        #expect(objects[2]["name"] as? String == "\u{0}漢字")
        let lines = try ToolProcess.run(
            "query", path, "ToolPerson", "id == 9", "--format", "jsonl")
        #expect(lines.output == "")
        let none = try ToolProcess.run("query", path, "ToolPerson", "id == 9", "--format", "json")
        #expect(none.output == "[]\n")
    }

    @Test func aMistakeInAPredicateIsPointedAt() throws {
        let result = try ToolProcess.run("query", path, "ToolPerson", "id > 1 AND agee > 30")
        #expect(result.code == 64)
        #expect(result.output == "")
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines[0].contains("agee"))
        #expect(lines[1] == "  id > 1 AND agee > 30")
        #expect(lines[2] == "             ^")
        #expect(lines[3] == "Did you mean age?")
        let syntax = try ToolProcess.run("query", path, "ToolPerson", "age > AND 1")
        #expect(syntax.code == 64)
        #expect(syntax.error.contains("\n  age > AND 1\n        ^"))
        let open = try ToolProcess.run("query", path, "ToolPerson", "name == 'A")
        #expect(open.code == 64)
        #expect(open.error.contains("\n  name == 'A\n          ^"))
    }

    @Test func namesThatDoNotExistAreAnsweredWithCloseOnes() throws {
        let type = try ToolProcess.run("query", path, "ToolPerso")
        #expect(type.code == 64)
        #expect(
            type.error == "Error: There is no class named 'ToolPerso'. Did you mean ToolPerson?\n")
        let column = try ToolProcess.run("query", path, "ToolPerson", "--columns", "id,nam")
        #expect(column.error.contains("Did you mean name?"))
        let sort = try ToolProcess.run("query", path, "ToolPerson", "--sort", "boss.nme")
        #expect(sort.error.contains("Did you mean name"))
        for sort in ["dogs", "boss", "name.x", "address"] {
            let result = try ToolProcess.run("query", path, "ToolPerson", "--sort", sort)
            #expect(result.code == 64)
            #expect(result.error.contains("cannot be sorted by"))
        }
    }

    @Test func objectsAreSortedThroughLinks() throws {
        let result = try ToolProcess.run(
            "query", path, "ToolPerson", "--sort", "boss.name:desc,id", "--format", "csv",
            "--columns", "id", "--limit", "2")
        #expect(result.output == "id\n1\n3\n")
    }

    @Test func aTableSaysWhatItDoesNotShow() throws {
        let result = try ToolProcess.run("query", path, "ToolPerson", "--limit", "2")
        #expect(result.output.hasSuffix("2 of 3 objects. --limit 0 shows all.\n"))
        let all = try ToolProcess.run("query", path, "ToolDog")
        #expect(all.output.hasSuffix("\n1 object\n"))
    }

    @Test func longValuesAreCutUnlessAskedFor() throws {
        let realm = try openRealm(path)
        try realm.write {
            realm.create(
                ToolPerson.self,
                value: ["id": 4, "name": String(repeating: "漢", count: 100_000)])
        }
        let arguments = ["query", path, "ToolPerson", "id == 4", "--columns", "name"]
        let cut = try ToolProcess(arguments).finish()
        #expect(cut.output.contains("\n" + String(repeating: "漢", count: 19) + "…\n"))
        let wide = try ToolProcess(arguments + ["--wide"]).finish()
        #expect(wide.output.contains(String(repeating: "漢", count: 100_000) + "\n"))
    }

    @Test func aReaderThatClosesThePipeEndsTheCommandQuietly() throws {
        let realm = try openRealm(path)
        try realm.write {
            for id in 10..<20_000 { realm.create(ToolPerson.self, value: ["id": id, "name": "x"]) }
        }
        for command in [
            "export people.realm ToolPerson", "query people.realm ToolPerson --format json",
        ] {
            let result = try ToolProcess.shell("realm \(command) | head -n 1", in: folder.path)
            #expect(result.code == 141, "\(command)")
            #expect(result.output.split(separator: "\n").count == 1)
            #expect(result.error == "")
        }
    }

    @Test func filesThatAreNoDatabasesAreAMistakeOfUse() throws {
        let text = try folder.write(String(repeating: "text ", count: 5000), to: "text")
        let empty = try folder.write("", to: "empty")
        for (path, reason) in [
            (folder["missing"], "No such file"), (text, "is no Realm file"),
            (empty, "is no Realm file"), (folder.path, "is a directory"),
        ] {
            let result = try ToolProcess.run("query", path, "ToolPerson")
            #expect(result.code == 64)
            #expect(result.error.contains(reason))
        }
        #expect(!FileManager.default.fileExists(atPath: folder["missing"]))
    }
}
