import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

@testable import RealmTool

/// The commands about whole files.
@Suite struct FileProcessTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        try makePeople(path)
    }

    private func key(_ name: String, _ first: UInt8) throws -> String {
        let bytes = (0..<64).map { UInt8($0) &* 3 &+ first }
        try Data(bytes).write(to: URL(fileURLWithPath: folder[name]))
        return folder[name]
    }

    @Test func aFileIsEncryptedGetsAnotherKeyAndIsDecrypted() throws {
        let (old, new) = (try key("old.key", 1), try key("new.key", 2))
        let before = try ToolProcess.run("export", path).output
        #expect(try ToolProcess.run("encrypt", path, "--new-key-file", old).code == 0)
        #expect(try ToolProcess.run("export", path).code == 64)
        #expect(try ToolProcess.run("export", path, "--key-file", new).code == 64)
        #expect(try ToolProcess.run("export", path, "--key-file", old).output == before)
        let again = try ToolProcess.run("encrypt", path, "--new-key-file", new)
        #expect(again.code == 64)
        for command in [
            ["info", path], ["pins", path], ["encrypt", path, "--new-key-file", new],
        ] {
            let refused = try ToolProcess(command).finish()
            #expect(refused.error.contains("\n--key-file or --key-variable names the key; "))
        }
        #expect(
            try !ToolProcess.run("info", path, "--key-file", new).error.contains("--key-variable"))
        let same = try ToolProcess.run("rekey", path, "--key-file", old, "--new-key-file", old)
        #expect(same.code == 64)
        #expect(same.error == "Error: The new key is the present one.\n")
        #expect(
            try ToolProcess.run("rekey", path, "--key-file", old, "--new-key-file", new).code == 0)
        let digits = try folder.bytes(of: "new.key").map { String($0, radix: 16) }
            .map { $0.count == 1 ? "0" + $0 : $0 }.joined()
        let export = try ToolProcess.run(
            "export", path, "--key-variable", "PEOPLE", environment: ["PEOPLE": digits])
        #expect(export.output == before)
        _ = try folder.write(digits + "\n", to: "digits.key")
        #expect(
            try ToolProcess.run("decrypt", path, "--key-file", folder["digits.key"]).code == 0)
        #expect(try ToolProcess.run("export", path).output == before)
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test func keysThatAreNoneAreExplained() throws {
        let short = try folder.write("too short", to: "short.key")
        let result = try ToolProcess.run("info", path, "--key-file", short)
        #expect(result.code == 64)
        #expect(result.error.contains("has 9 bytes"))
        let missing = try ToolProcess.run("info", path, "--key-variable", "NO_SUCH_VARIABLE")
        #expect(missing.error.contains("no variable 'NO_SUCH_VARIABLE'"))
        let both = try ToolProcess.run(
            "info", path, "--key-file", short, "--key-variable", "HOME")
        #expect(both.code == 64)
        #expect(try ToolProcess.run("decrypt", path).error.contains("--key-file"))
        #expect(try ToolProcess.run("encrypt", path).error.contains("/dev/urandom"))
    }

    @Test func aFileInUseIsNotRewrittenButCopied() throws {
        let realm = try openRealm(path)
        let before = try folder.bytes(of: "people.realm")
        let compact = try ToolProcess.run("compact", path)
        #expect(compact.code == 75)
        #expect(compact.error.contains("--output"))
        #expect(try folder.bytes(of: "people.realm") == before)
        #expect(try ToolProcess.run("compact", path, "--output", folder["copy.realm"]).code == 0)
        #expect(
            try ToolProcess.run("export", folder["copy.realm"]).output
                == ToolProcess.run("export", path).output)
        let again = try ToolProcess.run("compact", path, "--output", folder["copy.realm"])
        #expect(again.code == 64)
        #expect(again.error.contains("exists"))
        let nowhere = try ToolProcess.run("compact", path, "--output", folder["none/copy.realm"])
        #expect(nowhere.code == 64)
        #expect(nowhere.error.contains("'\(folder["none/copy.realm"])'"), "\(nowhere.error)")
        withExtendedLifetime(realm) {}
    }

    @Test func compactionTakesFreeSpaceAway() throws {
        do {
            let realm = try openRealm(path)
            try realm.write {
                for id in 10..<20_000 {
                    realm.create(ToolPerson.self, value: ["id": id, "name": "person \(id)"])
                }
            }
            try realm.write { realm.delete(realm.objects(ToolPerson.self).where { $0.id > 100 }) }
            realm.invalidate()
        }
        let before = try folder.bytes(of: "people.realm").count
        let result = try ToolProcess.run("compact", path)
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("\(path): "))
        #expect(try folder.bytes(of: "people.realm").count < before)
        #expect(try ToolProcess.run("verify", path).code == 0)
    }

    @Test func damageIsFoundAndHasACodeOfItsOwn() throws {
        #expect(
            try ToolProcess.run("verify", path).output
                == "'\(path)' is sound: 5 objects of 3 classes.\n")
        var bytes = try folder.bytes(of: "people.realm")
        let name = try #require(
            Data(bytes).range(of: Data("Rex".utf8)), "the name of the dog lies in a leaf")
        bytes[name.lowerBound] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let verify = try ToolProcess.run("verify", path)
        #expect(verify.code == 3)
        #expect(verify.error.contains("is damaged"))
        #expect(!verify.output.isEmpty)
        let export = try ToolProcess.run("export", path, "ToolDog")
        #expect(export.code == 3)
        #expect(export.error.contains("'realm verify \(path)'"))
        // What cannot even be opened cannot be looked into.
        try Data(bytes.prefix(10_000)).write(to: URL(fileURLWithPath: path))
        for command in ["verify", "info", "pins", "compact"] {
            let result = try ToolProcess.run(command, path)
            #expect(result.code == 3, "\(command)")
            #expect(result.error.contains("is damaged"))
            #expect(!result.error.contains("realm verify"))
        }
    }

    @Test func sizesAddUpToWhatIsLive() throws {
        let realm = try openRealm(path)
        try realm.write {
            for id in 10..<5000 {
                let person = realm.create(
                    ToolPerson.self,
                    value: ["id": id, "name": String(repeating: "n", count: id % 400)])
                person.boss = realm.object(ofType: ToolPerson.self, forPrimaryKey: 1)
                person.tags.insert(objectsIn: (0..<id % 40).map { "tag \($0)" })
                person.note = .fromArray([.int(id), .fromArray([.string("x")])])
            }
        }
        let report = try InfoReport(path, key: nil, measuresClasses: true)
        let classes = report.classes.reduce(0) { $0 + ($1.storage?.total ?? 0) }
        // Besides the classes: the schema, the roots of trees, the map of free pages.
        #expect(classes <= report.statistics.liveBytes)
        #expect(report.statistics.liveBytes - classes <= 20 * 4096)
        let person = try #require(report.classes.first { $0.definition.name == "ToolPerson" })
        #expect(person.objects == 4993)
        let names = try #require(person.definition.columns.firstIndex { $0.name == "name" })
        let bytes = try #require(person.storage?.columns[names])
        let expected = (10..<5000).reduce(0) { $0 + $1 % 400 }
        #expect(bytes > UInt64(expected) && bytes < UInt64(expected) * 2)
        let json = try ToolProcess.run("info", path, "--format", "json")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect((document["classes"] as? [[String: Any]])?.count == 3)
        #expect((document["pins"] as? [Any])?.isEmpty == false)
    }

    @Test func infoTellsClassesCountsAndTypes() throws {
        let text = try ToolProcess.run("info", path, "--fast").output
        for line in [
            "ToolPerson  3 objects", "ToolAddress (embedded)  1 object",
            "  id       int                primary key",
            "  dogs     [ToolDog]", "  scores   {string: double?}", "  tags     set of string",
            "  address  ToolAddress?       embedded", "No version is pinned.",
            "pages of 4096 bytes, not encrypted",
        ] { #expect(text.contains(line + "\n") || text.contains(line), "\(line)\n\(text)") }
    }

    @Test func theSchemaIsSwiftSource() throws {
        let text = try ToolProcess.run("schema", path, "ToolPerson", "ToolAddress").output
        #expect(
            text == """
                import Foundation
                import RealmSwift

                final class ToolPerson: Object {
                    @Persisted(primaryKey: true) var id: Int
                    @Persisted var name: String
                    @Persisted var age: Int?
                    @Persisted var boss: ToolPerson?
                    @Persisted var dogs: List<ToolDog>
                    @Persisted var address: ToolAddress?
                    @Persisted var tags: MutableSet<String>
                    @Persisted var scores: Map<String, Double?>
                    @Persisted var note: AnyRealmValue
                }

                final class ToolAddress: EmbeddedObject {
                    @Persisted var city: String
                    @Persisted var rooms: List<Int>
                }

                """)
    }

    /// A program that opens the file without its version is refused.
    @Test func theSourceNamesTheSchemaVersion() {
        let table = TableDefinition(name: "A", columns: [ColumnDefinition(name: "b", type: .int)])
        #expect(!SwiftSource([table]).text().contains("//"))
        #expect(
            SwiftSource([table], version: 3).text().hasPrefix(
                """
                import Foundation
                import RealmSwift

                // The file is opened with this version or a higher one:
                // Realm.Configuration(fileURL: url, schemaVersion: 3)

                final class A: Object {
                """))
    }

    @Test func namesThatSwiftDoesNotAllowAreMapped() {
        let source = SwiftSource([
            TableDefinition(
                name: "2nd class",
                columns: [
                    ColumnDefinition(name: "class", type: .string, isIndexed: true),
                    ColumnDefinition(name: "first name", type: .string),
                    ColumnDefinition(name: "first_name", type: .int),
                    ColumnDefinition(name: "description", type: .date, isOptional: true),
                ])
        ]).text()
        #expect(
            source == """
                import Foundation
                import RealmSwift

                final class _2nd_class: Object {
                    @Persisted(indexed: true) var `class`: String
                    @Persisted var first_name2: String
                    @Persisted var first_name: Int
                    @Persisted var description2: Date?

                    override class func propertiesMapping() -> [String: String] {
                        ["first_name2": "first name", "description2": "description"]
                    }

                    override class func className() -> String { "2nd class" }
                }

                """)
    }

    /// Waits until the tool is among the readers, so that it has the version from before.
    private func waitForReader() throws {
        let database = try Database.open(path: path)
        func isThere() throws -> Bool {
            try database.statistics().pinnedVersions.contains { $0.processName == "realm" }
        }
        while try !isThere() { usleep(10_000) }
    }

    @Test func changesAreShownAsTheyAreCommitted() throws {
        let realm = try openRealm(path)
        let watch = try ToolProcess(["watch", path, "--count", "2"])
        try waitForReader()
        try realm.write {
            realm.create(ToolDog.self, value: ["name": "Bello"])
            realm.object(ofType: ToolPerson.self, forPrimaryKey: 1)?.age = 37
        }
        #expect(watch.waits(for: "id: 1  age: 36 → 37\n"))
        try realm.write {
            if let three = realm.object(ofType: ToolPerson.self, forPrimaryKey: 3) {
                realm.delete(three)
            }
        }
        let result = try watch.finish()
        #expect(result.code == 0)
        for line in [
            "  ToolDog  1 inserted\n    + name: \"Bello\"  born: null  photo: null\n",
            "  ToolPerson  1 modified\n    ~ id: 1  age: 36 → 37\n",
            "  ToolPerson  1 deleted\n    - id: 3\n",
        ] { #expect(result.output.contains(line), "\(result.output)") }
    }

    @Test func watchingEndsWithControlC() throws {
        let watch = try ToolProcess(["watch", path, "--format", "jsonl"])
        try waitForReader()
        let realm = try openRealm(path)
        try realm.write { realm.create(ToolDog.self, value: ["name": "Bello"]) }
        #expect(watch.waits(for: "\"name\":\"Bello\""))
        watch.send(SIGINT)
        let result = try watch.finish()
        #expect(result.code == 130)
        #expect(result.error == "")
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect((line["changes"] as? [[String: Any]])?.first?["class"] as? String == "ToolDog")
    }

    @Test func everyCommandTeaches() throws {
        let help = try ToolProcess.run("--help")
        #expect(help.code == 0)
        #expect(help.output.contains("EXIT CODES"))
        for command in RealmCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            let text = try ToolProcess.run(name, "--help").output
            #expect(text.contains("EXAMPLES"), "\(name)")
            #expect(text.contains("realm \(name) "), "\(name)")
        }
    }
}
