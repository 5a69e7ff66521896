import Foundation
import Testing
import ToolSupport

@testable import RealmTool

/// What appears on a terminal only.
@Suite struct TerminalTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
        try makePeople(path)
    }

    @Test func progressFitsTheTerminalAndIsClearedAtTheEnd() throws {
        let process = try TerminalProcess(
            ["import", path, "ToolPerson", "-", "--format", "csv"], columns: 40)
        try process.write("id,name\n")
        var next = 10
        func writeRecords() throws {
            // Progress is looked at every 1024 records, and shown every fifth of a second.
            try process.write((next..<next + 1024).map { "\($0),n\n" }.joined())
            next += 1024
        }
        try writeRecords()
        usleep(300_000)
        try writeRecords()
        let shown = process.output(until: "2,048 rows")
        #expect(shown.hasPrefix("\r\u{1B}[KImporting  "), "\(shown)")
        for line in shown.components(separatedBy: "\r\u{1B}[K") { #expect(line.count < 40) }
        let (rest, code) = process.finish()
        #expect(code == 0)
        let last = try #require(rest.components(separatedBy: "\r\u{1B}[K").last)
        #expect(last.hasPrefix("2,048 objects imported in "), "\(rest)")
    }

    @Test func progressTellsTheTimeThatIsLeft() {
        let line = ProgressLine.line("Exporting Dog", 30, of: 90, seconds: 10, note: "30 rows")
        #expect(line == "Exporting Dog  33 %  30 rows  0:20 left")
        #expect(
            ProgressLine.line("Importing", 30, of: nil, seconds: 10, note: "30 rows")
                == "Importing  30 rows")
        // The first moments say little about the whole.
        #expect(
            ProgressLine.line("Verifying", 1, of: 1000, seconds: 0.2, note: "")
                == "Verifying  0 %")
        #expect(ProgressLine.duration(3 * 3600 + 5 * 60 + 9.6) == "3:05:10")
    }

    @Test func aTableIsCutToTheWidthOfTheTerminal() throws {
        let realm = try openRealm(path)
        try realm.write {
            let person = realm.create(ToolPerson.self, value: ["id": 4])
            person.name = "A name of rather many words, in Zürich"
            person.tags.insert(objectsIn: ["one tag", "another tag", "tag three"])
        }
        let arguments = ["query", path, "ToolPerson", "--columns", "id,name,age,tags"]
        let (narrow, code) = try TerminalProcess(arguments, columns: 60).finish()
        #expect(code == 0)
        for line in narrow.components(separatedBy: "\r\n") {
            #expect(TerminalWidth.columns(of: line) <= 60, "\(line)")
        }
        #expect(narrow.contains("A name of rather many"))
        #expect(narrow.contains("…"))
        let (wide, _) = try TerminalProcess(arguments + ["--wide"], columns: 60).finish()
        #expect(wide.contains("A name of rather many words, in Zürich"))
        // A pipe has no width.
        #expect(
            try ToolProcess(arguments).finish().output.contains("A name of rather many words, in"))
    }

    @Test func wideCharactersAreCutAsAWhole() {
        #expect(CellText.cut("漢字漢字", 8) == "漢字漢字")
        #expect(CellText.cut("漢字漢字", 7) == "漢字漢…")
        #expect(CellText.cut("漢字漢字", 6) == "漢字…")
        #expect(TerminalWidth.prefix(of: "e\u{301}e\u{301}x", columns: 2) == "e\u{301}e\u{301}")
    }
}
