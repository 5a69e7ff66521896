import Foundation
import Glibc
import Testing

@testable import BenchmarkKit

/// The whole program, with cases and proofs in processes of their own.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct ProcessTests {
    /// The only run directory in `folder`, and the records of its summary without the header.
    private func results(in folder: TemporaryFolder) throws -> (path: String, rows: [[String]]) {
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let path = folder.path + "/" + (try #require(runs.first))
        let text = try String(contentsOfFile: path + "/summary.csv", encoding: .utf8)
        return (path, try CSV.parse(text).dropFirst().map(\.fields))
    }

    private func databases(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("databases") }
    }

    @Test(arguments: ["1", "3"])
    func theMainQueueWritesOnTheMainThread(producers: String) throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "main-queue", "--count", "120", "--threads", producers, "--output",
            folder.path)
        let text = process.text()
        // A block that ran on another thread would have ended the case with a failed precondition.
        #expect(process.exitCode() == 0, "\(text)")
        let (path, rows) = try results(in: folder)
        let status = try #require(ColumnCatalogue.header.firstIndex(of: "status"))
        let operations = try #require(ColumnCatalogue.header.firstIndex(of: "operations"))
        #expect(rows.map { $0[status] } == ["ok"])
        #expect(rows.map { $0[operations] } == ["120"])
        #expect(try databases(in: path) == [])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalKeepsFinishedRowsAndRemovesTheDatabases(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/two.json"
        try Data(
            """
            {"name": "two", "description": "one short, one long", "cases": [
              {"workload": "sensors", "strategies": ["batched"], "count": 20},
              {"workload": "sensors", "strategies": ["current"], "seconds": 600}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let results = try TemporaryFolder()
        let process = try BenchmarkProcess("run", "--suite", suite, "--output", results.path)
        #expect(process.waits(for: "[2/2]"))
        process.send(signal)
        #expect(process.exitCode() == 128 + signal)
        let (path, rows) = try self.results(in: results)
        #expect(rows.count == 1)
        #expect(try databases(in: path) == [])
    }

    @Test func aReaderThatGoesAwayEndsTheRunInOrder() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "current", "batched", "--count", "20", "--output", folder.path)
        #expect(process.waits(for: "[1/2]"))
        process.stopReading()
        #expect(process.exitCode() == 128 + SIGPIPE)
        #expect(try databases(in: results(in: folder).path) == [])
    }

    @Test func twoRunsAtOnceDoNotMeet() throws {
        let folder = try TemporaryFolder()
        let runs = try (0..<2).map { _ in
            try BenchmarkProcess(
                "run", "batched", "--count", "50", "--output", folder.path, "--path",
                folder.path + "/files")
        }
        for run in runs {
            let text = run.text()
            #expect(run.exitCode() == 0, "\(text)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 3)
        #expect(try databases(in: folder.path + "/files") == [])
    }

    @Test func mistakesHaveTheirExitCodes() throws {
        let folder = try TemporaryFolder()
        let garbage = folder.path + "/garbage.csv"
        try Data("city,location,date,parameter,value\na,b,c,d,1\n".utf8)
            .write(to: URL(fileURLWithPath: garbage))
        let binary = folder.path + "/binary.csv"
        try Data("city,location,date,parameter,value\n\u{e4}\n".utf8 + [0xFF, 0xFE])
            .write(to: URL(fileURLWithPath: binary))
        let mistakes: [(arguments: [String], code: Int32, says: String)] = [
            (["--input", garbage], 64, "garbage.csv:2:"),
            (["--input", binary], 64, "binary.csv:3: not text"),
            (["--input", folder.path + "/missing.csv"], 64, "missing.csv"),
            (["--output", "/proc/results"], 1, "/proc/results"),
            (["--path", garbage + "/below"], 1, "garbage.csv/below"),
            (["--threads", "1000000"], 64, "--threads must be from 1 to 1024"),
        ]
        for mistake in mistakes {
            var arguments = ["run", "current", "--count", "5"] + mistake.arguments
            if !arguments.contains("--output") { arguments += ["--output", folder.path] }
            let process = try BenchmarkProcess(arguments)
            let text = process.text()
            #expect(process.exitCode() == mistake.code, "\(text)")
            #expect(text.contains(mistake.says), "\(text)")
        }
    }
}
