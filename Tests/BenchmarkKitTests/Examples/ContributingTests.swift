import Foundation
import Testing
import ToolSupport

/// The examples of CONTRIBUTING.md are parts of the files in this folder, which the compiler builds
/// and whose tests run.
@Suite struct ContributingTests {
    /// Returns the contents of all fenced blocks of a language.
    private func blocks(_ language: String, in text: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    @Test func theExamplesAreThoseThatAreBuilt() throws {
        let package = try ResourceLocator.packageDirectory()
        func text(_ path: String) throws -> String {
            try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
        }
        let folder = "Tests/BenchmarkKitTests/Examples"
        let names = try FileManager.default.contentsOfDirectory(
            atPath: package.appendingPathComponent(folder).path)
        let sources = try names.map { try text("\(folder)/\($0)") }
        // Declarations lie in extensions, suites and texts here, so that indentation differs.
        func plain(_ text: String) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: "\n")
        }
        let contributing = try text("CONTRIBUTING.md")
        let swift = blocks("swift", in: contributing)
        #expect(swift.count >= 4)
        for block in swift + blocks("json", in: contributing) {
            #expect(
                sources.contains { plain($0).contains(plain(block)) },
                "No file of \(folder) has this example:\n\(block)")
        }
    }
}
