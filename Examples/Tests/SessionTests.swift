import Foundation
import Testing

/// Tests that what the README files show is what the programs print.
///
/// Someone who changes a program on purpose runs these tests with `RECORD_SESSIONS=1`: they write
/// the sessions into the README files, and fail where there was a difference.
@Suite struct SessionTests {
    static let folders = ["Chat", "Todo", "Workshop", "Newspaper", "Exams", "Sensors"]

    @Test(arguments: folders)
    func theSessionInTheReadmeIsWhatTheProgramsPrint(_ name: String) throws {
        let example = examplesFolder.appendingPathComponent(name)
        let readme = example.appendingPathComponent("README.md")
        let document = try String(contentsOf: readme, encoding: .utf8)
        let session = Session(document: document)
        try #require(session.commands.count > 3)
        let folder = try TemporaryFolder()
        for file in try files(of: example) where file.pathExtension == "txt" {
            try FileManager.default.copyItem(
                at: file, to: folder.url.appendingPathComponent(file.lastPathComponent))
        }

        let printed = try session.run(in: folder.url)

        #expect(printed == session.text)
        if printed != session.text, ProcessInfo.processInfo.environment["RECORD_SESSIONS"] == "1" {
            try Data(Session.document(document, showing: printed).utf8).write(to: readme)
        }
    }

    @Test func theIndexLinksEveryExample() throws {
        let index = try String(
            contentsOf: examplesFolder.appendingPathComponent("README.md"), encoding: .utf8)
        let found = try files(of: examplesFolder).filter {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("README.md").path)
        }
        // What these print depends on the machine, so that they have no session.
        let examples = Self.folders + ["Bench", "BenchBeside"]
        #expect(Set(found.map(\.lastPathComponent)) == Set(examples))
        for name in examples { #expect(index.contains("(\(name)/README.md)"), "\(name)") }
    }

    private func files(of folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
}
