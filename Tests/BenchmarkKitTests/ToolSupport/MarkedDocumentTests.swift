import Testing
import ToolSupport

@Suite struct MarkedDocumentTests {
    private let document = MarkedDocument(tool: "t")

    @Test func markedPlacesAreFilledAgainAndAgain() throws {
        let text = "a\n<!-- t:run x y=1 -->\n<!-- /t:run -->\nb\n<!-- other:run -->\n"
        let once = try document.filled(text) { "\($0.name) \($0.arguments)" }
        let filled = "<!-- t:run x y=1 -->\nrun [\"x\", \"y=1\"]\n<!-- /t:run -->"
        #expect(once == "a\n\(filled)\nb\n<!-- other:run -->\n")
        let twice = try document.filled(once) { _ in "2\nline" }
        #expect(
            twice == "a\n<!-- t:run x y=1 -->\n2\nline\n<!-- /t:run -->\nb\n<!-- other:run -->\n")
    }

    @Test(arguments: ["none", "<!-- t:run -->\n", "<!-- t: -->", "<!-- t:run --> \n"])
    func aTextWithoutAWholeMarkIsRefused(text: String) {
        #expect(throws: BenchmarkError.self) { try document.filled(text) { _ in "" } }
    }

    @Test func aFileIsReadOrWritten() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/page.md"
        #expect(throws: BenchmarkError.self) { try document.fill(file: file) { _ in "" } }
        try TextFile.write("<!-- t:run -->\n<!-- /t:run -->", replacing: file)
        #expect(try !document.fill(file: file, isReadOnly: true) { _ in "new" })
        #expect(try !document.fill(file: file) { _ in "new" })
        #expect(try document.fill(file: file, isReadOnly: true) { _ in "new" })
        #expect(try !document.fill(file: file, isReadOnly: true) { _ in "newer" })
    }
}
