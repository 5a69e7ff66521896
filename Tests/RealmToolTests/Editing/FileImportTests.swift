import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import RealmTool
@testable import StorageEngine

/// What the Studio imports, and the columns that it shows before.
@Suite struct FileImportTests {
    private let folder: TemporaryFolder
    private let path: String
    private let realm: Realm
    private let file: InspectedFile
    private let editor: FileEditor

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        realm = try makePeople(path)
        file = try InspectedFile(path: path, key: nil, isEditable: true)
        editor = FileEditor(file)
    }

    private func preview(_ text: String, _ request: ImportRequest) throws -> [[String?]] {
        try file.newest().preview(of: Array(text.utf8), request).columns.map {
            [$0.name, $0.property] + $0.samples
        }
    }

    private func importText(
        _ text: String, _ request: ImportRequest, until stop: StopRequest = StopRequest()
    ) throws -> ImportOutcome {
        let input = try folder.write(text, to: "input")
        return try editor.importObjects(
            request, from: open(input, O_RDONLY), name: "input", until: stop)
    }

    @Test func columnsAreShownWithTheirPropertiesAndFirstValues() throws {
        let csv = ImportRequest(className: "ToolPerson", format: .csv, delimiter: ";")
        #expect(
            try preview("ID;Full name;age;\"a\"\"b\"\n7;\"A;\nB\";;1\n8;C;5;2\n9;cut", csv) == [
                ["ID", "id", "7", "8"], ["Full name", nil, "A;\nB", "C"],
                ["age", "age", "", "5"], ["a\"b", nil, "1", "2"],
            ])
        let json = ImportRequest(className: "ToolPerson", format: .jsonl)
        #expect(
            try preview(
                """
                {"$class": "ToolPerson", "id": 7, "Tags": ["x", "y"]}
                {"id": 8, "more": {"a": 1}}
                {"id": 9, "cut
                """, json) == [
                    ["id", "id", "7", "8", "9"], ["Tags", "tags", #"["x", "y"]"#],
                    ["more", nil, #"{"a": 1}"#],
                ])
        for request in [csv, json] {
            #expect(throws: ToolError.self) { try preview("", request) }
        }
        #expect(throws: ToolError.self) {
            try preview("a", ImportRequest(className: "ToolPerson", format: .csv, delimiter: ""))
        }
    }

    @Test(arguments: [
        (ImportRequest.Format.csv, "Nr,Label,junk\n7,Zoe,x\n1,Ada2,y\n"),
        (.jsonl, "{\"junk\":[1],\"Nr\":7,\"Label\":\"Zoe\"}\n{\"Nr\":1,\"Label\":\"Ada2\"}\n"),
    ])
    func columnsAreForThePropertiesThatTheMappingNames(
        format: ImportRequest.Format, text: String
    ) throws {
        let outcome = try importText(
            text,
            ImportRequest(
                className: "ToolPerson", format: format, existing: .update,
                mapping: ["Nr": "id", "Label": "name"]))
        #expect(outcome.inserted == 1)
        #expect(outcome.updated == 1)
        #expect(outcome.skipped == 0)
        realm.refresh()
        #expect(realm.object(ofType: ToolPerson.self, forPrimaryKey: 7)?.name == "Zoe")
        let ada = realm.object(ofType: ToolPerson.self, forPrimaryKey: 1)
        #expect(ada?.name == "Ada2")
        // What no column is for stays.
        #expect(ada?.age == 36)
        #expect(outcome.version == file.newestVersion)
    }

    @Test func nothingIsImportedAfterAMistake() throws {
        let version = file.newestVersion
        let mapping = ["id": "id", "boss": "boss"]
        for (text, message) in [
            ("id,boss\n7,\n8,99\n", "no object of 'ToolPerson'."), ("id\n7\n1\n", "exists."),
            ("id\n7\nx\n", "input:3:1"),
        ] {
            let error = try #require(throws: ToolError.self) {
                try importText(
                    text, ImportRequest(className: "ToolPerson", format: .csv, mapping: mapping))
            }
            #expect(error.message.contains(message))
            #expect(error.message.contains("Nothing was imported."))
            #expect(!error.message.contains("--"))
        }
        #expect(throws: ToolError.self) {
            try importText(
                "a,b\n7,8\n",
                ImportRequest(
                    className: "ToolPerson", format: .csv, mapping: ["a": "id", "b": "id"]))
        }
        #expect(file.newestVersion == version)
        let reading = FileEditor(try InspectedFile(path: path, key: nil))
        #expect(throws: ToolError.self) {
            try reading.importObjects(
                ImportRequest(className: "ToolPerson", format: .csv),
                from: open(folder["input"], O_RDONLY), name: "input", until: StopRequest())
        }
    }

    @Test func anImportThatIsStoppedLeavesNothing() throws {
        let version = file.newestVersion
        let stop = StopRequest()
        stop.make()
        let error = #expect(throws: ToolError.self) {
            try importText(
                "id,name\n70,x\n",
                ImportRequest(
                    className: "ToolPerson", format: .csv, mapping: ["id": "id", "name": "name"]),
                until: stop)
        }
        #expect(error?.message == "Stopped.\nNothing was imported.")
        #expect(file.newestVersion == version)
    }
}

/// Compacting a file for the Studio.
@Suite struct FileCompactionTests {
    @Test func aFileIsCompactedUnlessSomebodyHasItOpen() throws {
        let folder = try TemporaryFolder()
        let path = folder["people.realm"]
        do {
            let realm = try makePeople(path)
            try realm.write {
                for id in 10..<5000 {
                    realm.create(ToolPerson.self, value: ["id": id, "name": "person \(id)"])
                }
            }
            try realm.write { realm.delete(realm.objects(ToolPerson.self).where { $0.id >= 10 }) }
        }
        do {
            let file = try InspectedFile(path: path, key: nil)
            #expect(throws: ToolError.self) {
                try FileCompaction.run(path: path, key: nil, until: StopRequest())
            }
            withExtendedLifetime(file) {}
        }
        let stop = StopRequest()
        stop.make()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: StorageError.self) {
            try FileCompaction.run(path: path, key: nil, until: stop)
        }
        #expect(error?.code == .interrupted)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        let sizes = try FileCompaction.run(path: path, key: nil, until: StopRequest())
        #expect(sizes.after < sizes.before)
        let version = try InspectedFile(path: path, key: nil).newest()
        #expect(try version.object(0, in: "ToolPerson").count > 4)
    }
}
