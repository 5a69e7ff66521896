import Foundation
import Testing

/// The Swift samples of one page of the guide. The test of that page repeats and runs them.
struct GuideSamples {
    let page: String
    private let blocks: [[String]]

    init(page: String) throws {
        self.page = page
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("docs/guide/\(page)"), encoding: .utf8)
        blocks = text.components(separatedBy: "```swift\n").dropFirst().map { part in
            Self.lines(of: part.components(separatedBy: "\n```")[0])
        }
    }

    /// Checks that the test's source contains each sample of the page, line by line and without a
    /// gap.
    func expectAll(in file: String = #filePath) throws {
        #expect(!blocks.isEmpty, "\(page) has no sample")
        let source = Self.lines(of: try String(contentsOfFile: file, encoding: .utf8))
        for block in blocks {
            let found = source.indices.contains { source[$0...].starts(with: block) }
            #expect(found, "not in the test of \(page):\n\(block.joined(separator: "\n"))")
        }
    }

    /// Returns the names of all pages.
    static func pages() throws -> Set<String> {
        let folder = root.appendingPathComponent("docs/guide").path
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0.hasSuffix(".md") && $0 != "README.md"
            })
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
}

/// Tests that every page of the guide has a test, by the names in ``pages``.
@Suite struct GuideTests {
    /// Pages whose samples the tests of this folder run.
    private static let pages: Set = [
        "opening.md", "models.md", "writing.md", "querying.md", "collections.md", "links.md",
        "encryption.md", "files.md", "notifications.md", "threads.md", "migrations.md",
    ]

    /// Pages about commands, which `RealmToolTests` parses.
    private static let pagesOfCommands: Set = ["studio.md", "tool.md"]

    @Test func everyPageHasATest() throws {
        #expect(try GuideSamples.pages() == Self.pages.union(Self.pagesOfCommands))
    }
}
